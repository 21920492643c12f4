// What `npm exec` runs with the programs that it lends: they are then started directly.
import { rememberTools } from './borrowed-tools.mjs'

rememberTools()
