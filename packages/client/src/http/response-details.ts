import type { FareboxErrorDetails } from '../farebox-error.ts'

/** What an error says about its response. */
export function responseDetails({ status, headers }: Response): FareboxErrorDetails {
  return { status, paymentId: headers.get('x-payment-id') ?? undefined }
}
