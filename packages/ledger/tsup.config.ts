import { library } from '../../tsup.base.ts'

export default library([
  'src/index.ts',
  'src/store.ts',
  'src/sql.ts',
  'src/conformance.ts',
  'src/checkpoint-worker.ts',
])
