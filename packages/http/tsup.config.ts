import { library } from '../../tsup.base.ts'

export default library([
  'src/index.ts',
  'src/settings.ts',
  'src/log.ts',
  'src/telemetry.ts',
  'src/json-worker.ts',
])
