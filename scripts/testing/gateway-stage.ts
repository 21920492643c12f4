import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { appProgram } from './app-program.ts'
import { listeningUrl } from './listening-url.ts'

type Hex = `0x${string}`

/** What tests use of `devnet.json`. */
type Devnet = {
  readonly rpcUrl: string
  readonly usdc: Hex
  readonly payers: readonly { readonly address: Hex; readonly privateKey: Hex }[]
}

/** A gateway on its own devnet, for one file. */
export type GatewayStage = {
  readonly url: string
  /** Its `DATA_DIR`; tests may write here. */
  readonly folder: string
  readonly devnet: Devnet
}

/** `settings` are environment variables of the gateway. */
export function gatewayStage(settings: Readonly<Record<string, string>> = {}): GatewayStage {
  let folder: string
  let url: string
  let devnet: Devnet
  let gateway: ChildProcess

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'farebox-gateway-'))
    gateway = spawn(process.execPath, appProgram('gateway'), {
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        DATA_DIR: folder,
        REFUND_MIN_USDC: '0.000001',
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    url = await listeningUrl(gateway)
    devnet = JSON.parse(await readFile(join(folder, 'devnet.json'), 'utf8')) as Devnet
  })
  afterAll(async () => {
    gateway.kill('SIGTERM')
    if (gateway.exitCode === null) await once(gateway, 'exit')
    await rm(folder, { recursive: true, force: true })
  })

  return {
    get url() {
      return url
    },
    get folder() {
      return folder
    },
    get devnet() {
      return devnet
    },
  }
}
