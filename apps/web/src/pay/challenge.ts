/** One way to pay, as the `PAYMENT-REQUIRED` header of x402 version 2 lists it. */
export type Offer = {
  readonly scheme: string
  readonly network: `eip155:${number}`
  /** Atomic units of USDC. */
  readonly amount: string
  readonly asset: `0x${string}`
  readonly payTo: `0x${string}`
  readonly maxTimeoutSeconds: number
  readonly extra: { readonly name: string; readonly version: string }
}

export type Challenge = { readonly resource: object; readonly offer: Offer }

type Header = { readonly resource: object; readonly accepts: readonly Offer[] }

/** The offer of a 402 that an ERC-3009 signature pays; undefined without one. */
export function readChallenge(response: Response): Challenge | undefined {
  const header = response.headers.get('payment-required')
  if (header === null) return undefined
  const bytes = Uint8Array.from(atob(header), (character) => character.charCodeAt(0))
  const { resource, accepts } = JSON.parse(new TextDecoder().decode(bytes)) as Header
  const offer = accepts.find(({ scheme }) => scheme === 'exact')
  return offer && { resource, offer }
}

export function chainIdOf({ network }: Pick<Offer, 'network'>): number {
  return Number(network.slice('eip155:'.length))
}
