import { parseUsdc, type Usdc } from '@farebox/money'
import type { Network } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { FareboxError } from '../farebox-error.ts'
import type { Fetch } from '../pay/paying-fetch.ts'
import type { PaymentSigner } from '../pay/sign-payment.ts'

export type FareboxNetwork = 'base' | 'base-sepolia'

export type FareboxClientOptions = {
  /** Address of the gateway, such as `https://gateway.example`. */
  readonly baseUrl: string
  /** Signs the payments; a viem account fits. Without it and `privateKey` only free calls work. */
  readonly account?: PaymentSigner
  /** Instead of `account`: `0x` and 64 hexadecimal digits. */
  readonly privateKey?: `0x${string}`
  /** The most that one call may be asked for. 0.10 USDC unless given. */
  readonly maxAmountPerCall?: Usdc
  /** The most that all calls of this client may cost together. 10 USDC unless given. */
  readonly maxTotal?: Usdc
  /** Networks that it pays on; both unless given. */
  readonly networks?: readonly FareboxNetwork[]
  /** Pays this address only. */
  readonly payTo?: `0x${string}`
  /** How long a signed request is repeated while the gateway has not decided; 60 unless given. */
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

/** Checks the options and fills in what is absent. Throws `invalid_option`. */
export function readClientOptions(options: FareboxClientOptions): ClientSettings {
  if (!URL.canParse(options.baseUrl)) {
    throw new FareboxError('invalid_option', `baseUrl is no URL: ${options.baseUrl}`)
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
    throw new FareboxError('invalid_option', 'Give account or privateKey, not both.')
  }
  return privateKey === undefined ? account : accountOf(privateKey)
}

function accountOf(privateKey: `0x${string}`): PaymentSigner {
  // The key itself must not reach a message, so that a wrong one is not printed anywhere.
  if (!/^0x[0-9a-fA-F]{64}$/.test(privateKey)) {
    throw new FareboxError('invalid_option', 'privateKey is not 0x and 64 hexadecimal digits.')
  }
  const { address, signTypedData } = privateKeyToAccount(privateKey)
  return { address, signTypedData: (message) => signTypedData(message) }
}
