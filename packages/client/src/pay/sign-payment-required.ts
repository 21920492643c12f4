import type { Usdc } from '@farebox/money'
import { refuseUnknown } from '../invalid-option.ts'
import type { PaymentSigner } from '../wallet/payment-signer.ts'
import { requireAccount } from '../wallet/require-account.ts'
import { createWallet } from '../wallet/wallet.ts'
import { type FareboxNetwork, networksOf } from './payment-network.ts'
import { choosePaymentOffer } from './payment-offer.ts'
import { createPaymentSigner } from './sign-payment.ts'
import { createSpendBudget } from './spend-budget.ts'
import { usdcOption } from './usdc-option.ts'

export type SignOptions = {
  readonly account: PaymentSigner
  /** The highest price to sign. */
  readonly maxAmount: Usdc
  /** Defaults to `base` and `base-sepolia`. */
  readonly networks?: readonly FareboxNetwork[]
}

const signatureMs = 300_000

/** The value of `PAYMENT-SIGNATURE`, and the amount that it pays. */
export type SignedHeader = { readonly signature: string; readonly amount: Usdc }

/**
 * Signs the price of a 402 that another program received; nothing is paid until it is sent.
 * `header` is the value of `PAYMENT-REQUIRED`. Throws `no_acceptable_payment`,
 * `spend_cap_exceeded`, `signature_timeout` and `invalid_option`.
 */
export async function signPaymentRequired(
  header: string,
  options: SignOptions,
): Promise<SignedHeader> {
  const { account, maxAmount, networks, ...unknown } = { ...options }
  refuseUnknown('signature', unknown)
  usdcOption('maxAmount', maxAmount)
  const payer = requireAccount(account)
  const terms = { networks: networksOf(networks), payTo: undefined }
  const offer = choosePaymentOffer(new Headers({ 'payment-required': header }), terms)
  const budget = createSpendBudget({ perHour: maxAmount, total: maxAmount }, Date.now)
  budget.reserve(offer.amount, maxAmount)
  const signature = await createPaymentSigner(createWallet(payer, signatureMs), Date.now)(offer)
  return { signature, amount: offer.amount }
}
