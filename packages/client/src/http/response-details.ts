import type { FareboxErrorDetails } from '../farebox-error.ts'

/** What an error tells of the response that it is about. */
export function responseDetails({ status, headers }: Response): FareboxErrorDetails {
  return { status, paymentId: headers.get('x-payment-id') ?? undefined }
}
