import { program } from '../../tsup.base.ts'

export default program(['src/main.ts', 'src/devnet.ts'])
