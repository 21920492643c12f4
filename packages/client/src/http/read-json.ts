import { FareboxError } from '../farebox-error.ts'

/**
 * The body as JSON; `undefined` if it is something else. Throws `connection_lost` if it breaks off,
 * or the reason of the signal that aborted it.
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
  try {
    return await response.text()
  } catch (cause) {
    if (!isBrokenConnection(cause)) throw cause
    throw new FareboxError(
      'connection_lost',
      'The connection broke before the response was complete.',
      {
        status: response.status,
        paymentId: response.headers.get('x-payment-id') ?? undefined,
        cause,
      },
    )
  }
}

/** Whether the connection failed: fetch throws the signal's reason for a body that was aborted. */
export function isBrokenConnection(error: unknown): boolean {
  return error instanceof TypeError
}
