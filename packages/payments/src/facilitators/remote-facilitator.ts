import type { ChainReader } from '../chain/chain.ts'
import { parseHexOf } from '../chain/hex.ts'
import type { Facilitator, SettleOutcome } from '../settlement/facilitator.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'
import { type JsonAnswer, postJson } from './post-json.ts'
import { isRefusalBeforeBroadcast } from './refusal-reasons.ts'

export type RemoteFacilitatorOptions = {
  /** Its base address, to which `/settle` is added. */
  readonly url: string
  readonly name?: string
  /** How long it may take before its outcome is unknown. 30 seconds by default. */
  readonly timeoutMs?: number
  /** Headers that let us in, made anew for each call. */
  readonly authorize?: (request: {
    readonly method: 'POST'
    readonly url: URL
  }) => Promise<Readonly<Record<string, string>>>
  /** Reads what a refusal claims: a facilitator's word alone makes no 402. */
  readonly chain: Pick<ChainReader, 'balanceOf' | 'hasCode'>
  /** Milliseconds since 1970. */
  readonly clock?: () => number
}

/**
 * Settles through an x402 facilitator over HTTP. Redirects are errors and answers are capped. It
 * may have settled whatever it says: only a refusal by a reason that comes before any broadcast,
 * and that we see confirmed, is one; every other failure is unknown.
 */
export function createRemoteFacilitator(options: RemoteFacilitatorOptions): Facilitator {
  const url = new URL(`${options.url.replace(/\/+$/, '')}/settle`)
  const { timeoutMs = 30_000, authorize, clock = Date.now } = options

  return {
    name: options.name ?? url.host,
    async settle(payment, signal) {
      const { payload, requirements } = payment
      try {
        const answer = await postJson({
          url,
          body: { x402Version: 2, paymentPayload: payload, paymentRequirements: requirements },
          headers: (await authorize?.({ method: 'POST', url })) ?? {},
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        })
        return await judge(answer, payment, { chain: options.chain, now: clock() / 1000 })
      } catch {
        return { status: 'unknown', reason: 'facilitator_fault', transaction: null }
      }
    },
  }
}

type Means = { readonly chain: RemoteFacilitatorOptions['chain']; readonly now: number }

async function judge(
  answer: JsonAnswer,
  payment: SignedPayment,
  means: Means,
): Promise<SettleOutcome> {
  if (answer.status !== 'answered') {
    return { status: 'unknown', reason: `facilitator_${answer.status}`, transaction: null }
  }
  const { success, transaction: named, network, errorReason } = answer.body
  const transaction = parseHexOf(32, named) ?? null
  if (success === true && transaction !== null && network === payment.network && answer.ok) {
    return { status: 'settled', transaction }
  }
  if (success !== false || typeof errorReason !== 'string') {
    return { status: 'unknown', reason: 'facilitator_garbage', transaction }
  }
  const reason = errorReason.slice(0, 100)
  return transaction === null && (await isConfirmed(reason, payment, means))
    ? { status: 'refused', reason }
    : { status: 'unknown', reason, transaction }
}

/** Whether a refusal is of a kind that comes before a broadcast, and what it says is so. */
async function isConfirmed(
  reason: string,
  { authorization }: SignedPayment,
  { chain, now }: Means,
): Promise<boolean> {
  if (!isRefusalBeforeBroadcast(reason)) return false
  const { asset, from, value, validBefore } = authorization
  switch (reason) {
    case 'invalid_exact_evm_insufficient_balance':
      return (await chain.balanceOf(asset, from)) < value
    case 'invalid_exact_evm_payload_authorization_valid_before':
      return validBefore < now + 6
    case 'invalid_exact_evm_signature':
      // We recovered the key's signature ourselves: only a payer's code can see it otherwise.
      return await chain.hasCode(from)
    default:
      return false
  }
}
