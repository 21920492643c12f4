import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { FareboxError } from '@farebox/client'

/** Writes a file of the state in a folder that is there. Throws `state_not_saved`. */
export async function writeState<Written>(
  path: string,
  write: (path: string) => Promise<Written>,
): Promise<Written> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    return await write(path)
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
    throw new FareboxError(
      'state_not_saved',
      `${path} cannot be written${reason}. Set XDG_STATE_HOME to a folder where files can be created.`,
      { cause },
    )
  }
}
