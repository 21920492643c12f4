import { library } from '../../tsup.base.ts'

export default library([
  'src/index.ts',
  'src/node.ts',
  'src/count-worker.ts',
  'src/convert.ts',
  'src/cli.ts',
  'src/o200k-base.ts',
  'src/o200k-harmony.ts',
  'src/cl100k-base.ts',
  'src/p50k-base.ts',
  'src/r50k-base.ts',
  'src/qwen.ts',
  'src/deepseek.ts',
  'src/tekken.ts',
])
