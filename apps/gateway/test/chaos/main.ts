import { startPostgres } from '../../../../scripts/testing/postgres.ts'
import { runChaos } from './run-chaos.ts'

// node --conditions=farebox-source apps/gateway/test/chaos/main.ts KILLS REPLICAS sqlite|postgres [channel|overlap|preconfirmed]
const [kills = '300', replicas = '1', store = 'sqlite', kind = 'first'] = process.argv.slice(2)
const postgres = store === 'postgres' ? await startPostgres() : undefined
const startedAt = Date.now()
const figures = await runChaos({
  kills: Number(kills),
  replicas: Number(replicas),
  buyers: 8,
  payment: kind === 'channel' ? 'channel' : 'exact',
  settleMode: kind === 'overlap' || kind === 'preconfirmed' ? kind : 'first',
  random: Math.random,
  progress: (text) => {
    process.stderr.write(`${Math.round((Date.now() - startedAt) / 1000)} s: ${text}\n`)
  },
  ...(postgres && { databaseUrl: postgres.url }),
})
await postgres?.stop()
const seconds = Math.round((Date.now() - startedAt) / 1000)
const shown = { ...figures, lost: figures.lost.toString(), seconds }
process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`)
// A run of channels without a claim shows nothing of claims.
const isClaimed = kind !== 'channel' || (figures.movements['claim'] ?? 0) > 0
// Nor does one of preconfirmations without any show something of them.
const isShown = kind !== 'preconfirmed' || (figures.events['payment_preconfirmed'] ?? 0) > 0
const clean =
  isClaimed &&
  isShown &&
  figures.faults.length === 0 &&
  figures.lost === 0n &&
  figures.doubled.length + figures.unexplained.length + figures.unfinished.length === 0
process.exitCode = clean ? 0 : 1
