import { type BodyBudget, noteErrorReason } from '@farebox/http'
import type { PaymentRecord } from '@farebox/ledger'
import type { Admission, AdmissionRequest, PaymentGate, ResponseHeaders } from '@farebox/payments'
import { decline } from './decline.ts'
import type { Deliver } from './deliver.ts'
import { errorEvent } from './error-event.ts'
import type { PaidCall, PaidEndpoint } from './paid-endpoint.ts'

export type StartedAdmission = {
  readonly admitting: Promise<Admission>
  /** The claimed payment, if it may be served before it settles; undefined once it is admitted. */
  readonly overlapping: Promise<PaymentRecord | undefined>
  /** The headers of its response, when it is preconfirmed: it may begin before it is admitted. */
  readonly preconfirmed: Promise<ResponseHeaders>
}

/** Begins to admit a request. Its service may start earlier, once `overlapping` resolves with the payment. */
export function startAdmission(
  gate: Pick<PaymentGate, 'admit'>,
  request: AdmissionRequest,
): StartedAdmission {
  const claimed = Promise.withResolvers<PaymentRecord>()
  const preconfirmed = Promise.withResolvers<ResponseHeaders>()
  const admitting = gate.admit({
    ...request,
    startOverlapping: claimed.resolve,
    onPreconfirmed: ({ headers }) => {
      preconfirmed.resolve(headers)
    },
  })
  const admitted = admitting.then(() => undefined)
  return {
    admitting,
    preconfirmed: preconfirmed.promise,
    overlapping: Promise.race([claimed.promise, admitted]),
  }
}

type OverlappingCall<Sale, Delivery> = Omit<PaidCall, 'released'> & {
  readonly sale: Sale
  readonly admitting: Promise<Admission>
  readonly preconfirmed: Promise<ResponseHeaders>
  readonly deliver: Deliver<Sale, Delivery>
  readonly budget: BodyBudget
}

/**
 * Calls the provider while the payment settles. Nothing is written to the client before the
 * transfer is proven, or preconfirmed if the gate releases with that; the end waits for the proof.
 * If the admission fails, the call is aborted, what it delivered is dropped, and a response that
 * has begun is broken off.
 */
export async function serveOverlapping<Sale, Delivery>(
  endpoint: PaidEndpoint<Sale, Delivery>,
  { sale, admitting, preconfirmed, deliver, budget, ...client }: OverlappingCall<Sale, Delivery>,
): Promise<void> {
  const { response, observation, payment } = client
  observation.setPayment(payment)
  const notAdmitted = new AbortController()
  let receipt: ResponseHeaders = {}
  const begin = (headers: ResponseHeaders): void => {
    receipt = headers
    if (!response.headersSent) response.set({ ...headers, ...observation.headers() })
  }
  const awaitAdmission = async (): Promise<void> => {
    try {
      const admission = await admitting
      observation.endPhase(admission.status === 'settled' ? 'begin' : 'settle')
      if (admission.status !== 'settled') throw new NotSettledError(payment)
      begin(admission.headers)
    } catch (error) {
      notAdmitted.abort()
      throw error
    }
  }
  const admitted = awaitAdmission()
  const released = Promise.race([preconfirmed.then(begin), admitted])
  for (const failing of [admitted, released]) failing.catch(() => undefined)
  const signal = linked(client.signal, notAdmitted.signal)
  const giveUp = linked(client.giveUp, notAdmitted.signal)
  try {
    const call = { ...client, signal: signal.signal, giveUp: giveUp.signal, released }
    const completing = endpoint.complete(sale, call)
    // The admission decides first: a failure of the call is dealt with in `deliver`.
    completing.catch(() => undefined)
    const admission = await admitting
    if (admission.status !== 'settled') {
      // A call that was released may write until it has ended.
      await released.then(() => completing).catch(() => undefined)
      if (response.headersSent) return breakOff(client, endpoint)
      for (const name of Object.keys(receipt)) response.removeHeader(name)
      return decline(response, admission, { endpoint, budget })
    }
    await admitted
    await deliver(sale, { ...call, payment: admission.payment }, () => completing)
  } finally {
    signal.release()
    giveUp.release()
  }
}

const lost = 'preconfirmation_lost'

/** Ends a stream that began with a preconfirmation and whose payment is not proven. */
function breakOff(
  { response, payment }: Pick<PaidCall, 'response' | 'payment'>,
  endpoint: Pick<PaidEndpoint<never, never>, 'errorResponse'>,
): void {
  const message = `The transfer of payment ${payment.id} was preconfirmed, and is not proven. The rest of the response is not sent. If the transfer arrives later, it is refunded in full.`
  noteErrorReason(response, lost)
  response.end(errorEvent(endpoint.errorResponse({ status: 500, code: lost, message }).body))
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
