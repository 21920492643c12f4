import { join } from 'node:path'
import { makeFolder } from './anvil/make-folder.ts'
import { type DevnetFile, readDevnetFile, writeDevnetFile } from './devnet-file.ts'
import type { DevnetOptions } from './devnet-options.ts'
import { type Devnet, startDevnet } from './start-devnet.ts'

/**
 * Starts the devnet of a folder, with the chain, keys and payers of its last run. Writes
 * `devnet.json` to the folder once the chain is ready. A key in the options takes precedence over
 * the file. Throws the errors of `startDevnet` and `readDevnetFile`.
 */
export async function openDevnet(
  folder: string,
  options: Omit<DevnetOptions, 'stateFile'> = {},
): Promise<Devnet> {
  await makeFolder(folder)
  const path = join(folder, 'devnet.json')
  const earlier = await readEarlier(path)
  const devnet = await startDevnet({
    ...(earlier && {
      treasuryKey: earlier.treasury.privateKey,
      relayerKey: earlier.relayer.privateKey,
      payers: earlier.payers.length,
    }),
    ...options,
    stateFile: join(folder, 'devnet-state.json'),
  })
  try {
    await writeDevnetFile(path, devnet)
    return devnet
  } catch (error) {
    await devnet.stop()
    throw error
  }
}

async function readEarlier(path: string): Promise<DevnetFile | undefined> {
  try {
    return await readDevnetFile(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
