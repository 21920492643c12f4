import { atomicUsdc, parseAtomicUsdc, type Usdc } from '@farebox/money'
import { readJson } from '../http/read-json.ts'
import type { ChannelUnused } from './channel-unused.ts'
import { choosePaymentOffer, type PaymentTerms } from './payment-offer.ts'
import type { Decision } from './repeat-until-decided.ts'
import type { SignPayment } from './sign-payment.ts'
import type { Reservation } from './spend-budget.ts'

/** A signed payment whose outcome is not known yet. */
export type SignedPayment = {
  /** The value of `PAYMENT-SIGNATURE`. */
  readonly header: string
  readonly reservation: Reservation
  /**
   * Books the server's decision. Resolves to the payment to send instead, if the server rejected
   * this one and will not use it; `undefined` if the response is final.
   */
  conclude(decision: Decision): Promise<SignedPayment | undefined>
  /** No decision arrived: the payment may have been taken. */
  abandon(): void
  /** The payment was not sent: nothing of it counts. */
  discard(): Promise<void>
  readonly isFromChannel?: true
  /** Why a payment channel did not pay. */
  readonly channelUnused?: ChannelUnused
}

/**
 * A way to pay: signs for the 402 with these headers, if the price is within the cap of the call. The
 * signal ends the wait for the wallet.
 */
export type PaymentScheme = (
  challenge: Headers,
  callCap: Usdc,
  signal: AbortSignal,
) => Promise<SignedPayment>

export type ExactSchemeOptions = {
  readonly sign: SignPayment
  readonly terms: PaymentTerms
  /** Reserves the amount, or throws if it exceeds a cap. */
  readonly reserve: (amount: Usdc, callCap: Usdc) => Promise<Reservation>
}

/**
 * Pays by the `exact` scheme: the price of the call is transferred, and the difference to its cost
 * is refunded. Throws `no_acceptable_payment` and `spend_cap_exceeded`.
 */
export function createExactScheme({ sign, terms, reserve }: ExactSchemeOptions): PaymentScheme {
  return async function payExactly(challenge, callCap, signal) {
    const offer = choosePaymentOffer(challenge, terms)
    const reservation = await reserve(offer.amount, callCap)
    return {
      header: await signOrRelease(sign(offer, signal), reservation),
      reservation,
      async conclude(decision) {
        const cost = await costOfFailure(decision)
        if (cost !== undefined) reservation.setCost(cost)
        return undefined
      },
      abandon: () => undefined,
      discard: async () => reservation.setCost(atomicUsdc(0n)),
    }
  }
}

async function signOrRelease(
  signature: Promise<string>,
  reservation: Reservation,
): Promise<string> {
  try {
    return await signature
  } catch (error) {
    reservation.setCost(atomicUsdc(0n))
    throw error
  }
}

/**
 * What a failed response shows that the payment cost; `undefined` if it shows nothing. 402: the
 * payment will not be used. 400 and 429: this request moved nothing, but an earlier attempt without
 * a response may have.
 */
export async function costOfFailure({ response, attempts }: Decision): Promise<Usdc | undefined> {
  switch (response.status) {
    case 402:
      return atomicUsdc(0n)
    case 400:
    case 429:
      return attempts === 1 ? atomicUsdc(0n) : undefined
    case 500:
    case 503:
      return await statedCost(response.clone())
    default:
      return undefined
  }
}

// The body of an error contains the payment record once its cost is final.
async function statedCost(response: Response): Promise<Usdc | undefined> {
  try {
    const { payment } = (await readJson(response)) as {
      payment?: { cost?: { usdc?: string } | null }
    }
    const usdc = payment?.cost?.usdc
    return usdc === undefined ? undefined : parseAtomicUsdc(usdc)
  } catch {
    return undefined
  }
}
