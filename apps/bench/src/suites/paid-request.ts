import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFareboxClient, type FareboxClient } from '@farebox/client'
import { type ServerProcess, startServer } from '../paid-request/server-process.ts'
import type { Suite } from '../suite.ts'
import { printTable } from '../table.ts'

const body = JSON.stringify({
  model: 'bench',
  messages: [{ role: 'user', content: 'What does a fare box cost, and what does it give back?' }],
  max_tokens: 100,
})
const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
const AT_ONCE = 8

/** A complete paid request, compared with a proxy without payments. */
export const paidRequest: Suite = {
  name: 'paid-request',
  question: 'CPU of the server per chat request (JSON), an instant provider behind it',
  run: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'farebox-bench-'))
    const servers: ServerProcess[] = []
    const start = async (...program: Parameters<typeof startServer>): Promise<ServerProcess> => {
      const server = await startServer(...program)
      servers.unshift(server)
      return server
    }
    try {
      const upstream = await start({ file: 'apps/bench/src/paid-request/upstream.ts' })
      const proxy = await start({
        file: 'apps/bench/src/paid-request/plain-proxy.ts',
        args: [upstream.url],
      })
      const gateway = await start(gatewayProgram(folder, upstream.url))
      await printComparison({ proxy, gateway, folder })
    } finally {
      for (const server of servers) await server.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

function gatewayProgram(folder: string, upstream: string): Parameters<typeof startServer>[0] {
  const models = join(folder, 'models.json')
  const price = { input: '1', output: '4' }
  const model = { id: 'bench', contextLength: 100_000, maxOutputTokens: 4_000, price }
  writeFileSync(models, JSON.stringify({ models: [model] }))
  return {
    file: 'apps/gateway/src/main.ts',
    settings: {
      DATA_DIR: folder,
      PORT: '0',
      RATE_LIMIT_PER_MINUTE: '1000000',
      SANDBOX_PROVIDER: 'off',
      CUSTOM_PROVIDER_BASE_URL: `${upstream}/v1`,
      CUSTOM_PROVIDER_MODELS: models,
    },
  }
}

type Compared = {
  readonly proxy: ServerProcess
  readonly gateway: ServerProcess
  readonly folder: string
}

async function printComparison({ proxy, gateway, folder }: Compared): Promise<void> {
  const ask = async ({ url }: ServerProcess, status: number): Promise<void> => {
    const response = await fetch(`${url}/v1/chat/completions`, post)
    if (response.status !== status) throw new Error(`${url} responded with ${response.status}`)
    await response.arrayBuffer()
  }
  const payers = payingClients(gateway.url, folder)
  const pay = async (i: number): Promise<void> => {
    const response = await payers[i % payers.length]?.fetch('/v1/chat/completions', post)
    const text = await response?.text()
    if (response?.status !== 200) throw new Error(`A paid call failed: ${text}`)
  }
  const rows = [
    await row('Express and fetch, unpaid', proxy, { calls: 2_000, call: () => ask(proxy, 200) }),
    await row('farebox: the 402 with its quote', gateway, {
      calls: 2_000,
      call: () => ask(gateway, 402),
    }),
    await row('farebox: paid (402, then settled on chain, served, owed)', gateway, {
      calls: 300,
      call: pay,
    }),
  ]
  printTable(['', 'µs of CPU per request', 'requests'], rows)
}

function payingClients(baseUrl: string, folder: string): readonly FareboxClient[] {
  const { payers } = JSON.parse(readFileSync(join(folder, 'devnet.json'), 'utf8')) as {
    payers: { privateKey: `0x${string}` }[]
  }
  return payers
    .slice(0, AT_ONCE)
    .map(({ privateKey }) =>
      createFareboxClient({ baseUrl, privateKey, networks: ['base-sepolia'] }),
    )
}

type Load = { readonly calls: number; readonly call: (i: number) => Promise<void> }

async function row(name: string, server: ServerProcess, load: Load): Promise<readonly string[]> {
  await run({ ...load, calls: Math.ceil(load.calls / 4) })
  const before = server.cpu()
  await run(load)
  const perCall = (server.cpu() - before) / load.calls
  return [name, perCall.toFixed(0), String(load.calls)]
}

async function run({ calls, call }: Load): Promise<void> {
  const numbers = Array.from({ length: calls }, (_, i) => i).values()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const i of numbers) await call(i)
    }),
  )
}
