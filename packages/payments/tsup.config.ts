import { library } from '../../tsup.base.ts'

export default library([
  'src/index.ts',
  'src/chain.ts',
  'src/express.ts',
  'src/fastify.ts',
  'src/fetch.ts',
  'src/parts.ts',
  'src/settings.ts',
  'src/wire.ts',
])
