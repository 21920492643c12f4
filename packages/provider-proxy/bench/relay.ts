// What a relayed response costs in CPU, compared with a proxy that copies bytes. Three processes: a provider,
// the proxy that is measured, and this one, the client. Runs of both proxies alternate.
//
//   node --conditions=farebox-source packages/provider-proxy/bench/relay.ts [rounds]
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'undici'
import type { BenchReply, BenchRole } from './proxies.ts'

type Case = { readonly name: string; readonly events: number; readonly stream: boolean }
type Proxy = { readonly role: BenchRole; readonly child: ChildProcess; readonly port: number }

const rounds = Number(process.argv[2] ?? 5)
const concurrency = 16
const cases: readonly Case[] = [
  { name: 'JSON call, 3 events upstream', events: 3, stream: false },
  { name: 'stream of 20 events', events: 20, stream: true },
  { name: 'stream of 201 events, burst', events: 201, stream: true },
]

const agent = new Agent({ connections: concurrency })

async function start(role: BenchRole, upstream = 0): Promise<Proxy> {
  const child = fork(new URL('./proxies.ts', import.meta.url), [role, String(upstream)], {
    execArgv: ['--conditions=farebox-source'],
  })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { role, child, port }
}

async function cpuOf({ child }: Proxy): Promise<number> {
  child.send('cpu')
  const [{ cpu }] = (await once(child, 'message')) as [Extract<BenchReply, { cpu: number }>]
  return cpu
}

async function load(port: number, { events, stream }: Case, calls: number): Promise<void> {
  let left = calls
  const body = JSON.stringify({ events, stream })
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const url = `http://127.0.0.1:${port}/`
      const response = await request(url, { method: 'POST', body, dispatcher: agent })
      await response.body.dump({ limit: 100_000_000 })
    }
  }
  await Promise.all(Array.from({ length: concurrency }, caller))
}

/** CPU microseconds of the proxy per call. */
async function measure(proxy: Proxy, one: Case): Promise<number> {
  const calls = Math.ceil(60_000 / (one.events + 40))
  const before = await cpuOf(proxy)
  await load(proxy.port, one, calls)
  return ((await cpuOf(proxy)) - before) / calls
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

const upstream = await start('upstream')
const proxies = [await start('raw', upstream.port), await start('farebox', upstream.port)]
console.log('| case | raw, µs | farebox, µs | ratio | farebox per event, µs |')
console.log('|---|---|---|---|---|')
for (const one of cases) {
  const figures = new Map<BenchRole, number[]>(proxies.map(({ role }) => [role, []]))
  for (const proxy of proxies) await measure(proxy, one)
  for (let round = 0; round < rounds; round += 1) {
    for (const proxy of proxies) figures.get(proxy.role)?.push(await measure(proxy, one))
  }
  const raw = median(figures.get('raw') ?? [])
  const ours = median(figures.get('farebox') ?? [])
  const cells = [one.name, raw.toFixed(0), ours.toFixed(0), (ours / raw).toFixed(2)]
  console.log(`| ${cells.join(' | ')} | ${(ours / one.events).toFixed(2)} |`)
}
for (const { child } of [upstream, ...proxies]) child.kill()
await agent.close()
