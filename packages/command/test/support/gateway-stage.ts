import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DevnetFile, readDevnetFile } from '@farebox/devnet'
import { afterAll, beforeAll } from 'vitest'
import { listeningUrl } from '../../../../scripts/testing/listening-url.ts'

/** A gateway on a devnet of its own, for one file. */
export type GatewayStage = {
  readonly url: string
  /** Its `DATA_DIR`; tests may write here. */
  readonly folder: string
  readonly devnet: DevnetFile
}

export function gatewayStage(): GatewayStage {
  let folder: string
  let url: string
  let devnet: DevnetFile
  let gateway: ChildProcess

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'farebox-command-'))
    const main = fileURLToPath(new URL('../../../../apps/gateway/src/main.ts', import.meta.url))
    gateway = spawn(process.execPath, ['--conditions=farebox-source', main], {
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        DATA_DIR: folder,
        REFUND_MIN_USDC: '0.000001',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    url = await listeningUrl(gateway)
    devnet = await readDevnetFile(join(folder, 'devnet.json'))
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
