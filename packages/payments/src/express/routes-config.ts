/** Dollars as `"$0.01"`, `"0.01"` or `0.01`, or exact units of the network's USDC. */
export type Price =
  | string
  | number
  | {
      readonly amount: string
      readonly asset: {
        readonly address: string
        readonly decimals: number
        readonly eip712?: { readonly name: string; readonly version: string }
      }
    }

/** A priced route in the shape of x402-express. */
export type RouteConfig = {
  readonly price: Price
  /** `base` or `base-sepolia`. */
  readonly network: string
  readonly config?: {
    readonly description?: string
    readonly mimeType?: string
    readonly maxTimeoutSeconds?: number
    readonly resource?: string
    /** For browsers, in place of JSON. */
    readonly customPaywallHtml?: string
    /** Accepted but not shown: the combined 402 contains only what both protocols share. */
    readonly inputSchema?: object
    readonly outputSchema?: object
    readonly discoverable?: boolean
    readonly errorMessages?: object
  }
}

/**
 * A price or more for each route, such as `'GET /weather'`. A price alone is USDC of Base Sepolia, a test
 * network: name `network: 'base'` to be paid in real USDC.
 */
export type RoutesConfig = Readonly<Record<string, Price | RouteConfig>>

/** A price alone is USDC of Base Sepolia, a test network. */
export function routeConfigOf(given: Price | RouteConfig): RouteConfig {
  return hasPrice(given) ? given : { price: given, network: 'base-sepolia' }
}

/** Callers without types may pass null. */
function hasPrice(given: unknown): given is RouteConfig {
  return typeof given === 'object' && given !== null && 'price' in given
}
