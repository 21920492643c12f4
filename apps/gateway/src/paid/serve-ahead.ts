import type { PaymentRecord } from '@farebox/ledger'
import type { Admission, AdmissionRequest, PaymentGate } from '@farebox/payments'
import type { Deliver } from './deliver.ts'
import type { PaidCall, PaidEndpoint } from './paid-endpoint.ts'
import { respondToAdmission } from './respond-to-admission.ts'

export type StartedAdmission = {
  readonly admitting: Promise<Admission>
  /** The claimed payment, if it may be served before it settles; undefined once it is admitted. */
  readonly ahead: Promise<PaymentRecord | undefined>
}

/** Admits a request, and tells when its service may start before that is over. */
export function startAdmission(
  gate: Pick<PaymentGate, 'admit'>,
  request: AdmissionRequest,
): StartedAdmission {
  const { promise, resolve } = Promise.withResolvers<PaymentRecord | undefined>()
  const admitting = gate.admit({ ...request, startAhead: resolve })
  const admitted = admitting.then(() => undefined)
  return { admitting, ahead: Promise.race([promise, admitted]) }
}

type AheadCall<Sale, Delivery> = Omit<PaidCall, 'released'> & {
  readonly sale: Sale
  readonly admitting: Promise<Admission>
  readonly deliver: Deliver<Sale, Delivery>
}

/**
 * Calls the provider while the payment settles. Nothing is written to the client before the transfer
 * is proven. If the settlement fails, the call is aborted and what it delivered is dropped.
 */
export async function serveAhead<Sale, Delivery>(
  endpoint: PaidEndpoint<Sale, Delivery>,
  { sale, admitting, deliver, ...client }: AheadCall<Sale, Delivery>,
): Promise<void> {
  const { response, observation, payment } = client
  observation.pay(payment)
  const dropped = new AbortController()
  const released = admitting.then((admission) => {
    observation.end(admission.status === 'settled' ? 'begin' : 'settle')
    if (admission.status !== 'settled') {
      dropped.abort()
      throw new NotSettledError(payment)
    }
    response.set({ ...admission.headers, ...observation.headers() })
  })
  released.catch(() => undefined)
  const signal = linked(client.signal, dropped.signal)
  const giveUp = linked(client.giveUp, dropped.signal)
  try {
    const call = { ...client, signal: signal.signal, giveUp: giveUp.signal, released }
    const completing = endpoint.complete(sale, call)
    // What became of the payment decides first.
    completing.catch(() => undefined)
    const admission = await admitting
    if (admission.status !== 'settled') return respondToAdmission(response, admission, endpoint)
    await released
    await deliver(sale, { ...call, payment: admission.payment }, () => completing)
  } finally {
    signal.release()
    giveUp.release()
  }
}

/** Aborts with either signal. Released, it leaves nothing behind in a signal that others share. */
function linked(
  first: AbortSignal,
  second: AbortSignal,
): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController()
  const abort = (): void => {
    controller.abort()
  }
  const parents = [first, second]
  for (const parent of parents) {
    if (parent.aborted) abort()
    parent.addEventListener('abort', abort)
  }
  return {
    signal: controller.signal,
    release: () => {
      for (const parent of parents) parent.removeEventListener('abort', abort)
    },
  }
}

/** What a provider delivers for a payment that did not settle is dropped. */
class NotSettledError extends Error {
  override readonly name = 'NotSettledError'
  readonly code = 'not_settled'
  constructor({ id }: PaymentRecord) {
    super(`${id} did not settle`)
  }
}
