import type { Paywall } from '@farebox/payments/fetch'

/** A paywall, and the network addresses that its gate is given. */
export function watched(paywall: Paywall): {
  readonly paywall: Paywall
  readonly seen: readonly (string | undefined)[]
} {
  const seen: (string | undefined)[] = []
  const { gate } = paywall
  const admit: Paywall['gate']['admit'] = async (request) => {
    seen.push(request.clientAddress)
    return await gate.admit(request)
  }
  return { paywall: { ...paywall, gate: { ...gate, admit } }, seen }
}
