import type { PaymentBody } from '@farebox/api'

type Amount = { readonly usd: string; readonly usdc: string }

/** The price, in the body of a 402. */
export type Quote = {
  readonly model: string
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
  /** The `PAYMENT-REQUIRED` header of the 402. */
  readonly required?: string
  readonly payer?: string
  readonly payment?: PaymentBody
  readonly answer: string
  readonly reasoning: string
  /** An image, as a `data:` URL. */
  readonly image?: string
  /** Why the sale failed, as a sentence. */
  readonly problem?: string
  /** Why the answer ends where it does, if the model was not finished. */
  readonly shortfall?: string
  /** The signed order is decided, or was stopped: sent again, it gets nothing more. */
  readonly isOver?: true
}

export const newSale: Sale = { stage: 'asking', answer: '', reasoning: '' }

/** Whether the sale waits for something: the question cannot be changed then. */
export function isUnderWay({ stage }: Sale): boolean {
  return ['pricing', 'signing', 'paying', 'answering'].includes(stage)
}

/** Whether the answer of the sale has begun. */
export function hasAnswer({ stage, answer, reasoning, image, shortfall }: Sale): boolean {
  const isShown = image !== undefined || shortfall !== undefined
  return stage === 'answering' || answer !== '' || reasoning !== '' || isShown
}

/** Whether a signed order failed and is not decided: sent again, it may get its answer. */
export function isUndecided({ stage, payer, isOver }: Sale): boolean {
  return stage === 'failed' && payer !== undefined && !isOver
}
