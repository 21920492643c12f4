import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, startDevnet, writeDevnetFile } from '@farebox/devnet'
import { type PeerProcess, startPeer } from '../peers/peer-process.ts'

/** What all peers share: a chain, a provider, and a folder for their files. */
export type Stage = {
  readonly devnet: Devnet
  readonly upstream: PeerProcess
  readonly folder: string
  /** Stops with the stage. */
  readonly adopt: (peer: PeerProcess) => PeerProcess
  readonly close: () => Promise<void>
}

export type StageOptions = {
  /** Seconds between blocks; by default each transaction is mined at once. */
  readonly blockTime?: number
  /** Milliseconds until the provider answers; 0 by default. */
  readonly thinkMs?: number
}

/** Starts a chain and a provider. */
export async function openStage({ thinkMs = 0, ...chain }: StageOptions = {}): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-bench-'))
  const devnet = await startDevnet({ payers: 50, ...chain })
  const upstream = await startPeer({
    file: 'apps/bench/src/peers/upstream.ts',
    args: [String(thinkMs)],
  })
  const opened = [upstream]
  await writeDevnetFile(join(folder, 'devnet.json'), devnet)
  return {
    devnet,
    upstream,
    folder,
    adopt: (peer) => {
      opened.unshift(peer)
      return peer
    },
    close: async () => {
      for (const peer of opened) await peer.stop()
      await devnet.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Writes a price list of one model, `bench`, and returns its file. */
export function writeModels(folder: string): string {
  const file = join(folder, 'models.json')
  const price = { input: '1', output: '4' }
  const model = { id: 'bench', contextLength: 100_000, maxOutputTokens: 4_000, price }
  writeFileSync(file, JSON.stringify({ models: [model] }))
  return file
}
