import { run } from './program.js'

// biome-ignore lint/style/noDefaultExport: a worker is the default export of its module
export default { fetch: async () => new Response(await run()) }
