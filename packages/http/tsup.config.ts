import { library } from '../../tsup.base.ts'

export default library(['src/index.ts', 'src/settings.ts', 'src/log.ts', 'src/json-worker.ts'])
