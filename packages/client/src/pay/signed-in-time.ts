import { orAborted } from '../wallet/or-aborted.ts'
import type { SignedPayment } from './exact-scheme.ts'

/**
 * Waits for a payment to be signed; a wallet may take minutes. Throws the signal's reason once it is
 * aborted: the payment is not sent, and does not count.
 */
export async function signedInTime<Signed extends SignedPayment | undefined>(
  signing: Promise<Signed>,
  signal: AbortSignal,
): Promise<Signed> {
  try {
    const payment = await orAborted(signing, signal)
    signal.throwIfAborted()
    return payment
  } catch (error) {
    if (signal.aborted) {
      signing.then(
        async (payment) => await payment?.discard(),
        () => undefined,
      )
    }
    throw error
  }
}
