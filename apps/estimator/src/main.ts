import { runOnNewerNode } from '../../../scripts/boot/newer-node.mjs'

const tools = new URL('../../../node_modules/.cache/farebox/tools.json', import.meta.url)

process.exitCode = await runOnNewerNode(tools, async () => {
  const { runEstimator } = await import('./run-estimator.ts')
  return await runEstimator(process.argv.slice(2))
})
