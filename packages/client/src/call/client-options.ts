import { parseUsdc, type Usdc } from '@farebox/money'
import type { Network } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { FareboxError } from '../farebox-error.ts'
import type { Fetch } from '../pay/paying-fetch.ts'
import type { PaymentSigner } from '../pay/sign-payment.ts'

export type FareboxNetwork = 'base' | 'base-sepolia'

export type FareboxClientOptions = {
  /** URL of the gateway, such as `https://gateway.example`. */
  readonly baseUrl: string
  /** Signs the payments, for example a viem account. Without it or `privateKey` only free calls work. */
  readonly account?: PaymentSigner
  /** Instead of `account`: `0x` and 64 hexadecimal digits. */
  readonly privateKey?: `0x${string}`
  /** The highest price of one call. Defaults to 0.10 USDC. */
  readonly maxAmountPerCall?: Usdc
  /** The highest total cost of all calls of this client. Defaults to 10 USDC. */
  readonly maxTotal?: Usdc
  /** Networks to pay on. Defaults to both. */
  readonly networks?: readonly FareboxNetwork[]
  /** Pay only this address. */
  readonly payTo?: `0x${string}`
  /** How long to retry a signed request while the gateway has not decided. Defaults to 60. */
  readonly patienceSeconds?: number
  readonly fetch?: Fetch
}

export type ClientSettings = {
  readonly baseUrl: string
  readonly signer: PaymentSigner | undefined
  readonly maxAmountPerCall: Usdc
  readonly maxTotal: Usdc
  readonly networks: readonly Network[]
  readonly payTo: string | undefined
  readonly patienceMs: number
  readonly fetch: Fetch
}

const caip2: Readonly<Record<FareboxNetwork, Network>> = {
  base: 'eip155:8453',
  'base-sepolia': 'eip155:84532',
}

/** Checks the options and fills in the defaults. Throws `invalid_option`. */
export function readClientOptions(options: FareboxClientOptions): ClientSettings {
  if (!URL.canParse(options.baseUrl)) {
    throw new FareboxError('invalid_option', `baseUrl is not a valid URL: ${options.baseUrl}`)
  }
  const networks = options.networks ?? ['base', 'base-sepolia']
  return {
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    signer: readSigner(options),
    maxAmountPerCall: options.maxAmountPerCall ?? parseUsdc('0.1'),
    maxTotal: options.maxTotal ?? parseUsdc('10'),
    networks: networks.map((network) => caip2[network]),
    payTo: options.payTo,
    patienceMs: (options.patienceSeconds ?? 60) * 1_000,
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
  }
}

function readSigner({ account, privateKey }: FareboxClientOptions): PaymentSigner | undefined {
  if (account !== undefined && privateKey !== undefined) {
    throw new FareboxError('invalid_option', 'Pass either account or privateKey, not both.')
  }
  return privateKey === undefined ? account : accountOf(privateKey)
}

function accountOf(privateKey: `0x${string}`): PaymentSigner {
  // The message must not contain the key: even a malformed one may be nearly a real one.
  if (!/^0x[0-9a-fA-F]{64}$/.test(privateKey)) {
    throw new FareboxError(
      'invalid_option',
      'privateKey must be 0x followed by 64 hexadecimal digits.',
    )
  }
  const { address, signTypedData } = privateKeyToAccount(privateKey)
  return { address, signTypedData: (message) => signTypedData(message) }
}
