import type { FareboxErrorDetails } from '../farebox-error.ts'

/** The response of an error, as its details. */
export function responseDetails({ status, headers }: Response): FareboxErrorDetails {
  return { status, paymentId: headers.get('x-payment-id') ?? undefined }
}
