import { library } from '../../tsup.base.ts'

export default library(['src/index.ts'], { target: 'node20' })
