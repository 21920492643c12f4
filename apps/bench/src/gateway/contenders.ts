import { fileURLToPath } from 'node:url'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { createVoucherSigner, type SignVouchers } from '../load/sign-vouchers.ts'
import { startNginx } from '../peers/nginx.ts'
import { type PeerProcess, startPeer } from '../peers/peer-process.ts'
import { ownKeys } from './own-keys.ts'
import { type Stage, writeModels } from './stage.ts'

/** How a peer sells: for nothing, by x402, or by x402 with free estimates as well. */
export type Selling = 'unpaid' | 'x402' | 'x402 and estimates'

export type Contender = {
  readonly name: string
  readonly selling: Selling
  /** What the peer needs besides the request. */
  readonly headers: Readonly<Record<string, string>>
  /** False for a peer that cannot stream as it is installed. */
  readonly streams: boolean
  readonly peer: PeerProcess
  /** Pays from channels, in place of a transfer for each call. */
  readonly signVouchers?: SignVouchers
}

/** The traits of a peer that sells by x402 and needs nothing else. */
export const sold = { selling: 'x402', headers: {}, streams: true } as const

/** Starts the gateway and its peers, each in its own process. */
export async function startContenders(stage: Stage): Promise<readonly Contender[]> {
  const { upstream, folder } = stage
  const plain = { ...sold, selling: 'unpaid' } as const
  const program = async (file: string): Promise<PeerProcess> =>
    stage.adopt(await startPeer({ file: `apps/bench/src/peers/${file}`, args: [upstream.url] }))
  const nginx = await startNginx(folder, upstream.url)
  return [
    { name: 'farebox', ...plain, selling: 'x402 and estimates', peer: await farebox(stage) },
    await byChannel(stage),
    { name: '@x402/express, settling', ...sold, peer: await settling(stage) },
    { name: '@x402/express, instant', ...sold, peer: await instant(stage) },
    { name: 'Portkey', ...plain, ...portkeyTraits(upstream.url), peer: await portkey(stage) },
    { name: 'Express and fetch', ...plain, peer: await program('express-proxy.ts') },
    { name: 'node:http proxy', ...plain, peer: await program('node-proxy.ts') },
    ...(nginx === undefined ? [] : [{ name: 'nginx', ...plain, peer: stage.adopt(nginx) }]),
  ]
}

/** The gateway on the chain of the stage, with its default settings but these, and no rate limit. */
export async function farebox(
  { devnet, folder, upstream, adopt }: Stage,
  changes: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): Promise<PeerProcess> {
  const settings = {
    DATA_DIR: folder,
    RPC_URL: devnet.rpcUrl,
    PORT: '0',
    RATE_LIMIT_PER_MINUTE: '1000000',
    SANDBOX_PROVIDER: 'off',
    CUSTOM_PROVIDER_BASE_URL: `${upstream.url}/v1`,
    CUSTOM_PROVIDER_MODELS: writeModels(folder),
    ...changes,
  }
  return adopt(await startPeer({ file: 'apps/gateway/src/main.ts', settings, options }))
}

/** The gateway, paid from channels that were opened before. */
export async function byChannel(stage: Stage): Promise<Contender> {
  const database = { DATABASE_URL: `sqlite:${stage.folder}/channel.sqlite` }
  const peer = await farebox(stage, { ...database, ...(await ownKeys(stage)) })
  return { name: 'farebox, by channel', ...sold, peer, signVouchers: createVoucherSigner() }
}

const stock = 'apps/bench/src/peers/stock-x402.ts'

/** The stock middleware with the stock facilitator in its process, on the chain of the stage. */
export async function settling(stage: Stage): Promise<PeerProcess> {
  const { devnet, upstream, adopt } = stage
  const [relayerKey, payTo] = [generatePrivateKey(), privateKeyToAddress(generatePrivateKey())]
  const ether = `0x${(10n ** 20n).toString(16)}`
  await devnet.rpc('anvil_setBalance', [privateKeyToAddress(relayerKey), ether])
  const settings = { RPC_URL: devnet.rpcUrl, RELAYER_PRIVATE_KEY: relayerKey, PAY_TO: payTo }
  return adopt(await startPeer({ file: stock, args: [upstream.url, 'settling'], settings }))
}

async function instant({ upstream, adopt }: Stage): Promise<PeerProcess> {
  const settings = { PAY_TO: privateKeyToAddress(generatePrivateKey()) }
  return adopt(await startPeer({ file: stock, args: [upstream.url, 'instant'], settings }))
}

async function portkey({ adopt }: Stage): Promise<PeerProcess> {
  const port = await freePort()
  const file = fileURLToPath(import.meta.resolve('@portkey-ai/gateway/build/start-server.js'))
  const args = ['--headless', `--port=${port}`]
  return adopt(await startPeer({ file, args, url: `http://127.0.0.1:${port}` }))
}

/** As installed with its current dependencies, 1.15.2 answers streams with a TypeError. */
function portkeyTraits(upstream: string): Pick<Contender, 'headers' | 'streams'> {
  const headers = {
    authorization: 'Bearer bench',
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `${upstream}/v1`,
  }
  return { headers, streams: false }
}
