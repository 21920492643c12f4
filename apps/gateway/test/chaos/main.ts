import { runChaos } from './run-chaos.ts'

// node --conditions=farebox-source apps/gateway/test/chaos/main.ts KILLS REPLICAS [DATABASE_URL]
const [kills = '300', replicas = '1', databaseUrl] = process.argv.slice(2)
const startedAt = Date.now()
const figures = await runChaos({
  kills: Number(kills),
  replicas: Number(replicas),
  buyers: 8,
  random: Math.random,
  progress: (text) => {
    process.stderr.write(`${Math.round((Date.now() - startedAt) / 1000)} s: ${text}\n`)
  },
  ...(databaseUrl !== undefined && { databaseUrl }),
})
const seconds = Math.round((Date.now() - startedAt) / 1000)
const shown = { ...figures, lost: figures.lost.toString(), seconds }
process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`)
const clean =
  figures.lost === 0n &&
  figures.doubled.length + figures.unexplained.length + figures.unfinished.length === 0
process.exitCode = clean ? 0 : 1
