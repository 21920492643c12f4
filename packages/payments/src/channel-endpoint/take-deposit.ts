import { createHash } from 'node:crypto'
import type { Hex, LedgerStore } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import type { ChannelTerms } from '../channel/channel-requirements.ts'
import type { Observer } from '../events/payment-events.ts'
import { admissionResponse } from '../gate/admission-response.ts'
import { unknownAdmission } from '../gate/admissions.ts'
import type {
  AdmissionRequest,
  NotAdmitted,
  PaymentGate,
  PaymentHeaders,
  ResponseHeaders,
} from '../gate/payment-gate.ts'
import { publicChannel } from './public-channel.ts'

export type TakeDepositOptions = {
  readonly store: LedgerStore
  readonly gate: Pick<PaymentGate, 'admit' | 'begin' | 'complete'>
  readonly terms: ChannelTerms
  readonly notify: Observer
}

export type ChannelRequest = {
  readonly headers: PaymentHeaders
  readonly resource: AdmissionRequest['resource']
}

/** The response to a request at the channel endpoint. */
export type ChannelResponse = {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: Readonly<Record<string, unknown>>
}

/**
 * Takes a deposit without a call: it is treated as the deposit of a call that costs nothing, so it
 * is executed, proven and resumed like any other.
 */
export async function takeDeposit(
  { store, gate, terms, notify }: TakeDepositOptions,
  { headers, resource, channelId }: ChannelRequest & { readonly channelId: Hex },
): Promise<ChannelResponse> {
  const admission = await gate.admit({
    headers,
    resource,
    offers: [{ amount: terms.policy.minCharge, model: 'deposit', priceVersion: 'none' }],
    requestDigest: createHash('sha256').update(resource.url).digest('hex'),
    challenge: {},
    isForDeposit: true,
  })
  if (admission.status !== 'settled') return notTaken(admission)
  const begun = await gate.begin(admission.payment)
  if (begun.status !== 'begun') return notTaken(begun)
  const nothing = { cost: atomicUsdc(0n), usage: null, answer: null }
  try {
    const ended = await gate.complete(begun.payment, nothing)
    const channel = await store.loadChannel(channelId)
    return {
      status: 200,
      headers: { ...admission.headers, ...ended.headers, 'Cache-Control': 'no-store' },
      body: channel === undefined ? {} : publicChannel(channel),
    }
  } catch (error) {
    // The deposit is in its channel.
    notify({ type: 'fault', during: 'admission', error })
    return notTaken(unknownAdmission(begun.payment))
  }
}

function notTaken(admission: NotAdmitted): ChannelResponse {
  const response = admissionResponse(admission)
  const { status, headers } = response
  switch (response.type) {
    case 'terms':
      return { status, headers, body: response.body }
    case 'error':
      return { status, headers, body: { statusCode: status, ...response.error } }
    // The call has no answer to keep.
    case 'replay':
      return { status, headers, body: {} }
  }
}
