import { FareboxError } from '../farebox-error.ts'
import { maxBytes } from './max-bytes.ts'
import { piecesOf } from './pieces-of.ts'
import { responseDetails } from './response-details.ts'

/**
 * The body as JSON; `undefined` if it is something else. Throws `connection_lost` if it breaks off,
 * or the reason of the signal that aborted it, and `invalid_response` if it does not end.
 */
export async function readJson(response: Response): Promise<unknown> {
  return parseJson(await textOf(response))
}

/** The value of a text of JSON; `undefined` for another text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function textOf(response: Response): Promise<string> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  try {
    for await (const bytes of piecesOf(response)) {
      size += bytes.length
      if (size > maxBytes) throw tooLarge(response)
      pieces.push(bytes)
    }
    return await new Blob(pieces).text()
  } catch (cause) {
    if (!isBrokenConnection(cause)) throw cause
    const message = 'The connection broke before the response was complete.'
    throw new FareboxError('connection_lost', message, { ...responseDetails(response), cause })
  }
}

export function tooLarge(response: Response): FareboxError {
  const message = 'The response is larger than 256 MB.'
  return new FareboxError('invalid_response', message, responseDetails(response))
}

/** Whether the connection failed: fetch throws the signal's reason for a body that was aborted. */
export function isBrokenConnection(error: unknown): boolean {
  return error instanceof TypeError
}
