import { createServer } from 'node:http'
import { join } from 'node:path'
import { startDevnet, writeDevnetFile } from '@farebox/devnet'
import { claimedSuccess, startFaultyFacilitator, startRpcFaults } from '@farebox/devnet/faults'
import { startSandbox } from '@farebox/devnet/sandbox'
import { closeServer, createResourceStack, listen, type ResourceStack } from '@farebox/http'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { startPostgres } from '../../../../scripts/testing/postgres.ts'
import { startRedis } from '../../../../scripts/testing/redis.ts'
import { startFaultProxy, type WireFault } from './fault-proxy.ts'
import { type RunningStage, runStage } from './running-stage.ts'

export const parts = ['node', 'facilitator', 'PostgreSQL', 'Redis', 'provider'] as const

export type Part = (typeof parts)[number]

/** A gateway whose every dependency is behind something that can break it. */
export type FaultStage = Omit<RunningStage, 'stop'> & {
  setFault(part: Part, fault?: WireFault): Promise<void>
  stop(): Promise<void>
}

/** Starts the whole economy, and the gateway in its own process. */
export async function startFaultStage(folder: string): Promise<FaultStage> {
  const stack = createResourceStack()
  const { devnet, rpc, facilitator, targets } = await startTargets(stack)
  const pagePort = await startPage(stack)
  const proxied = await Promise.all(
    parts.map(async (part) => {
      const target = new URL(targets[part])
      const proxy = await startFaultProxy(Number(target.port), pagePort)
      stack.adopt(proxy, (running) => running.stop())
      target.port = String(proxy.port)
      return { part, proxy, url: target.href.replace(/\/$/, '') }
    }),
  )
  const at = (part: Part) => proxied.find((one) => one.part === part) ?? missing(part)

  await writeDevnetFile(join(folder, 'devnet.json'), devnet)
  const running = await runStage(devnet, {
    DATA_DIR: folder,
    RPC_URL: at('node').url,
    FACILITATOR_URL: at('facilitator').url,
    OPENAI_API_KEY: 'of-no-use',
    OPENAI_BASE_URL: at('provider').url,
    DATABASE_URL: at('PostgreSQL').url,
    REDIS_URL: at('Redis').url,
  })
  stack.adopt(running, (gateway) => gateway.stop())

  return {
    ...running,
    setFault: async (part, fault) => {
      rpc.setRule(part === 'node' && fault === 'wrong' ? otherChain : undefined)
      facilitator.setRule(part === 'facilitator' && fault === 'wrong' ? settlesNothing : undefined)
      const answersItself = fault === 'wrong' && (part === 'node' || part === 'facilitator')
      if (!answersItself) await at(part).proxy.setFault(fault)
    },
    stop: stack.disposeAsync,
  }
}

async function startTargets(stack: ResourceStack) {
  const devnet = stack.adopt(await startDevnet({ payers: 50 }), (chain) => chain.stop())
  const postgres = stack.adopt(await startPostgres(), (server) => server.stop())
  const redis = stack.adopt(await startRedis(), (server) => server.stop())
  const sandbox = stack.adopt(await startSandbox(), (provider) => provider.stop())
  const relayerKey = generatePrivateKey()
  await devnet.setEthBalance(privateKeyToAddress(relayerKey), 10n ** 18n)
  const { rpcUrl } = devnet
  const facilitator = stack.adopt(await startFaultyFacilitator({ rpcUrl, relayerKey }), (server) =>
    server.stop(),
  )
  const rpc = stack.adopt(await startRpcFaults({ target: rpcUrl }), (server) => server.stop())
  const targets: Readonly<Record<Part, string>> = {
    node: rpc.url,
    facilitator: facilitator.url,
    provider: sandbox.chatBaseUrl,
    PostgreSQL: postgres.url.replace('localhost', '127.0.0.1'),
    Redis: redis.url.replace('localhost', '127.0.0.1'),
  }
  return { devnet, rpc, facilitator, targets }
}

/** What answers at the address of a part that is `wrong`. */
async function startPage(stack: ResourceStack): Promise<number> {
  const page = createServer((_, response) => response.end('<h1>It works!</h1>'))
  const url = await listen(page, { host: '127.0.0.1', port: 0 })
  stack.adopt(page, closeServer)
  return Number(new URL(url).port)
}

/** A node of a chain without our token. */
function otherChain({ method }: { readonly method: string }) {
  if (method === 'eth_chainId') return { kind: 'result', result: '0x1' } as const
  return method === 'eth_call' ? ({ kind: 'result', result: '0x' } as const) : undefined
}

/** A facilitator that reports settlements that it does not send. */
function settlesNothing({ endpoint }: { readonly endpoint: string }) {
  return endpoint === 'settle' ? claimedSuccess : undefined
}

function missing(part: Part): never {
  throw new Error(`${part} has no proxy`)
}
