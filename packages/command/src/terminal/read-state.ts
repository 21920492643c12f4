import { FareboxError } from '@farebox/client'
import { errorCode, isMissing } from './error-code.ts'

/**
 * Reads from the state; `undefined` if there is nothing at this path. Throws `state_not_read`: what
 * cannot be read must not count as empty.
 */
export async function readState<Read>(
  path: string,
  read: (path: string) => Promise<Read>,
): Promise<Read | undefined> {
  try {
    return await read(path)
  } catch (cause) {
    if (isMissing(cause)) return undefined
    const code = errorCode(cause)
    const reason = code === undefined ? '' : ` (${code})`
    throw new FareboxError(
      'state_not_read',
      `${path} cannot be read${reason}. Correct it, or set XDG_STATE_HOME to another folder.`,
      { cause },
    )
  }
}
