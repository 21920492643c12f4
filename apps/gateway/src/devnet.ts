import { runOnNewerNode } from '../../../scripts/boot/newer-node.mjs'

const tools = new URL('../../../node_modules/.cache/farebox/tools.json', import.meta.url)

process.exitCode = await runOnNewerNode(tools, async () => {
  const { runDevnet } = await import('./run-devnet.ts')
  return await runDevnet()
})
