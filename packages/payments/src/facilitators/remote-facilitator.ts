import type { ChainReader } from '../chain/chain.ts'
import { parseHexOf } from '../chain/hex.ts'
import type { Facilitator, SettleOutcome } from '../settlement/facilitator.ts'
import { minValiditySeconds } from '../signature/check-payment.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'
import { facilitatorEndpoint } from './facilitator-endpoint.ts'
import { type JsonResponse, postJson } from './post-json.ts'
import { isRejectedBeforeBroadcast, knownReason } from './settle-rejection-reasons.ts'

export type RemoteFacilitatorOptions = {
  /** Its base URL, to whose path `/settle` is appended. May have a query and a password. */
  readonly url: string
  readonly name?: string
  /** How long it may take before its outcome counts as unknown. 30 seconds by default. */
  readonly timeoutMs?: number
  /** Headers that authorize us, created for each call. */
  readonly authorize?: (request: {
    readonly method: 'POST'
    readonly url: URL
  }) => Promise<Readonly<Record<string, string>>>
  /** Checks what a rejection claims: a facilitator's report alone never leads to a 402. */
  readonly chain: Pick<ChainReader, 'balanceOf' | 'hasCode'>
  /** Milliseconds since 1970. */
  readonly clock?: () => number
}

/**
 * Settles through an x402 facilitator over HTTP. Redirects are errors and responses are capped. It
 * may have settled whatever it reports: only a rejection for a reason that precedes any broadcast,
 * and that the chain confirms, counts as one; the outcome of every other failure is unknown.
 */
export function createRemoteFacilitator(options: RemoteFacilitatorOptions): Facilitator {
  const { url, headers } = facilitatorEndpoint(options.url, 'settle')
  const { timeoutMs = 30_000, authorize, clock = Date.now } = options

  return {
    name: options.name ?? url.host,
    async settle(payment, signal) {
      const { payload, requirements } = payment
      try {
        const response = await postJson({
          url,
          body: { x402Version: 2, paymentPayload: payload, paymentRequirements: requirements },
          headers: { ...headers, ...(await authorize?.({ method: 'POST', url })) },
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        })
        return await judge(response, payment, { chain: options.chain, now: clock() / 1000 })
      } catch {
        return { status: 'unknown', reason: 'facilitator_fault', transaction: null }
      }
    },
  }
}

type Evidence = { readonly chain: RemoteFacilitatorOptions['chain']; readonly now: number }

async function judge(
  response: JsonResponse,
  payment: SignedPayment,
  evidence: Evidence,
): Promise<SettleOutcome> {
  if (response.status !== 'received') {
    return { status: 'unknown', reason: `facilitator_${response.status}`, transaction: null }
  }
  const { code, body } = response
  const { success, transaction: named, network, errorReason } = body
  const transaction = parseHexOf(32, named) ?? null
  const isOk = code < 300
  if (success === true && transaction !== null && network === payment.network && isOk) {
    return { status: 'settled', transaction }
  }
  if (success !== false || typeof errorReason !== 'string') {
    // With a wrong key or a wrong path, the status is clearer than the body.
    const reason = isOk ? 'facilitator_garbage' : `facilitator_http_${code}`
    return { status: 'unknown', reason, transaction }
  }
  const reason = knownReason(errorReason)
  return transaction === null && (await isConfirmed(reason, payment, evidence))
    ? { status: 'rejected', reason }
    : { status: 'unknown', reason, transaction }
}

/** Whether a reason precedes any broadcast, and the chain confirms it. */
async function isConfirmed(
  reason: string,
  { authorization }: SignedPayment,
  { chain, now }: Evidence,
): Promise<boolean> {
  if (!isRejectedBeforeBroadcast(reason)) return false
  const { asset, from, value, validBefore } = authorization
  switch (reason) {
    case 'invalid_exact_evm_insufficient_balance':
      return (await chain.balanceOf(asset, from)) < value
    case 'invalid_exact_evm_payload_authorization_valid_before':
      return validBefore < now + minValiditySeconds
    case 'invalid_exact_evm_signature':
      // We recovered the key's signature ourselves: only a payer with code can judge it differently.
      return await chain.hasCode(from)
    default:
      return false
  }
}
