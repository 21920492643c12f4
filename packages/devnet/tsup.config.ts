import { library } from '../../tsup.base.ts'

export default library(['src/index.ts', 'src/faults.ts', 'src/main.ts', 'src/sandbox.ts'])
