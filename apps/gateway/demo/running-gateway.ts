import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DevnetFile, readDevnetFile } from '@farebox/devnet'
import { listeningUrl } from '../../../scripts/testing/listening-url.ts'
import { gatewayEnvironment } from './gateway-environment.ts'

export type RunningGateway = {
  readonly url: string
  readonly devnet: DevnetFile
  stop(): Promise<void>
}

const program = fileURLToPath(new URL('../dist/main.js', import.meta.url))

/** Starts the built gateway on free ports, with immediate refunds. */
export async function runGateway(): Promise<RunningGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-demo-'))
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: gatewayEnvironment(process.env, folder),
  })
  const exited = once(child, 'exit')
  const url = await listeningUrl(child)
  const devnet = await readDevnetFile(join(folder, 'devnet.json'))
  return {
    url,
    devnet,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}
