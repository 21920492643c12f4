import type { Usdc } from '@farebox/money'
import { encodeHeader } from './payment-envelope.ts'
import { paymentIdentifierDeclaration } from './payment-identifier.ts'
import {
  type PaymentRequirements,
  type PaymentTerms,
  paymentRequirements,
  type ResourceInfo,
} from './payment-requirements.ts'

export type PaymentRequiredOptions = PaymentTerms & {
  readonly resource: ResourceInfo
  readonly amount: Usdc
  /** The human-readable message of the body. */
  readonly message: string
  /** Further fields of the body: the quote. They never override the protocol's own. */
  readonly challenge: Readonly<Record<string, unknown>>
  /** Why the presented payment was not accepted, as an x402 code. */
  readonly reason?: string | undefined
  /** Extensions of x402 v2 besides `payment-identifier`. Keep them small: they go into a header. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined
  /** Another way to pay, which x402 v2 clients are offered after `exact`. */
  readonly alternative?: Readonly<Record<string, unknown>> | undefined
}

export type PaymentRequired = {
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
}

/**
 * One 402 for both protocols: x402 v2 clients read the header, v1 clients `x402Version` and `accepts`
 * in the body, all others `message` and the quote.
 *
 * @throws {PaymentRequiredError} `challenge_too_large` when the header would not pass proxies.
 */
export function paymentRequired(options: PaymentRequiredOptions): PaymentRequired {
  const { alternative } = options
  const requirements = paymentRequirements(options, options.amount)
  return {
    body: {
      ...options.challenge,
      statusCode: 402,
      error: 'Payment Required',
      message: options.message,
      x402Version: 1,
      accepts: [v1Requirements(options, requirements)],
    },
    headers: {
      'PAYMENT-REQUIRED': challengeHeader({
        ...options,
        accepts: alternative === undefined ? [requirements] : [requirements, alternative],
      }),
      'Cache-Control': 'no-store',
    },
  }
}

/** nginx keeps all response headers in one buffer of 4 KB by default. */
const headerLimit = 3_500

export type Challenge = Pick<PaymentRequiredOptions, 'reason' | 'resource' | 'extensions'> & {
  /** The ways to pay, the preferred one first. */
  readonly accepts: readonly Readonly<Record<string, unknown>>[]
}

/**
 * The `PAYMENT-REQUIRED` header of x402 v2.
 *
 * @throws {PaymentRequiredError} `challenge_too_large` when it would not pass proxies.
 */
export function challengeHeader({ reason, resource, accepts, extensions }: Challenge): string {
  const challenge = {
    x402Version: 2,
    ...(reason === undefined ? {} : { error: reason }),
    resource,
    accepts,
    extensions: { ...extensions, ...paymentIdentifierDeclaration },
  }
  const header = encodeHeader(challenge)
  if (header.length > headerLimit) throw new PaymentRequiredError(header.length)
  return header
}

function v1Requirements(
  { network, resource }: PaymentRequiredOptions,
  requirements: PaymentRequirements,
): Readonly<Record<string, unknown>> {
  const { scheme, amount, asset, payTo, maxTimeoutSeconds } = requirements
  return {
    scheme,
    network: network.v1Name,
    maxAmountRequired: amount,
    resource: resource.url,
    description: resource.description,
    mimeType: resource.mimeType,
    payTo,
    maxTimeoutSeconds,
    asset,
    extra: network.domain,
  }
}

/** The challenge does not fit into a header. */
export class PaymentRequiredError extends Error {
  override readonly name = 'PaymentRequiredError'
  readonly code = 'challenge_too_large'
  constructor(bytes: number) {
    super(
      `The PAYMENT-REQUIRED header would take ${bytes} bytes, but at most ${headerLimit} fit: shorten the resource or the extensions`,
    )
  }
}
