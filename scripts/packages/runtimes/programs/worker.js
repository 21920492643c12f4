import { run } from './program.js'

// biome-ignore lint/style/noDefaultExport: a worker is the default export of its module
export default {
  fetch: async ({ url }) => new Response(await run(Object.fromEntries(new URL(url).searchParams))),
}
