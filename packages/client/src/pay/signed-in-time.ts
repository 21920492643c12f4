import type { SignedPayment } from './exact-scheme.ts'

/**
 * Waits for a payment to be signed; a wallet may take minutes. Throws the signal's reason once it is
 * aborted: the payment is not sent, and does not count.
 */
export async function signedInTime<Signed extends SignedPayment | undefined>(
  signing: Promise<Signed>,
  signal: AbortSignal,
): Promise<Signed> {
  let stop = (): void => undefined
  const aborted = new Promise<void>((resolve) => {
    stop = resolve
  })
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  await Promise.race([signing, aborted]).finally(() => signal.removeEventListener('abort', stop))
  if (!signal.aborted) return await signing
  signing.then(
    async (payment) => await payment?.discard(),
    () => undefined,
  )
  throw signal.reason
}
