import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { FareboxError } from '@farebox/client'
import { errorCode } from './error-code.ts'

/** Writes a file of the state in a folder that is there. Throws `state_not_saved`. */
export async function writeState<Written>(
  path: string,
  write: (path: string) => Promise<Written>,
): Promise<Written> {
  try {
    await makeFolder(dirname(path))
    return await write(path)
  } catch (cause) {
    const code = errorCode(cause)
    const reason = code === undefined ? '' : ` (${code})`
    throw new FareboxError(
      'state_not_saved',
      `${path} cannot be written${reason}. Set XDG_STATE_HOME to a folder where files can be created.`,
      { cause },
    )
  }
}

/** One folder after the other: Node's own way never ends under `/proc`. */
async function makeFolder(path: string): Promise<void> {
  try {
    await makeOne(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error
    await makeFolder(dirname(path))
    await makeOne(path)
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    // If it is not a folder, the file cannot be written.
    if (errorCode(error) !== 'EEXIST') throw error
  }
}
