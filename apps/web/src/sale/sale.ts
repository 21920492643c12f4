import type { PaymentBody } from '@farebox/api'
import type { Challenge } from '../pay/challenge.ts'

type Amount = { readonly usd: string }

/** What the body of a 402 says about the price. */
export type Quote = {
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly maximum: Amount
  readonly likely: Amount
}

/** The stages of buying one answer. */
export type Stage =
  | 'asking'
  | 'pricing'
  | 'priced'
  | 'signing'
  | 'paying'
  | 'answering'
  | 'answered'
  | 'failed'

export type Sale = {
  readonly stage: Stage
  readonly quote?: Quote
  readonly challenge?: Challenge
  readonly payer?: string
  readonly paymentId?: string
  readonly payment?: PaymentBody
  readonly answer: string
  readonly reasoning: string
  /** Why the sale failed, as a sentence. */
  readonly problem?: string
}

export const newSale: Sale = { stage: 'asking', answer: '', reasoning: '' }
