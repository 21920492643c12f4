/** The payment of an offer as the value of its header. */
export function encodePayment(
  { resource, accepted }: { readonly resource: object; readonly accepted: object },
  payload: object,
): string {
  const payment = { x402Version: 2, resource, accepted, payload }
  return Buffer.from(JSON.stringify(payment)).toString('base64')
}
