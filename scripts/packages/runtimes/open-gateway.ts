import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listeningUrl } from '../../testing/listening-url.ts'
import { root } from '../workspace.ts'

/** The built gateway on its own devnet, for the programs of a check. */
export type CheckedGateway = {
  readonly url: string
  readonly rpcUrl: string
  /** The key of a payer that no other program has. */
  nextPayer(): string
  stop(): Promise<void>
}

/** Starts it with its data in `folder`. */
export async function openGateway(folder: string): Promise<CheckedGateway> {
  const child = spawn(process.execPath, [join(root, 'apps/gateway/dist/main.js')], {
    env: { PATH: process.env['PATH'], NETWORK: 'devnet', DATA_DIR: folder, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await listeningUrl(child)
  const { rpcUrl, payers } = JSON.parse(readFileSync(join(folder, 'devnet.json'), 'utf8')) as {
    readonly rpcUrl: string
    readonly payers: readonly { readonly privateKey: string }[]
  }
  let next = 0
  return {
    url,
    rpcUrl,
    nextPayer: () => payers[next++]?.privateKey ?? '',
    async stop() {
      child.kill()
      await once(child, 'exit')
    },
  }
}
