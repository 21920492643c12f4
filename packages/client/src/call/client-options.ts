import { parseUsdc, type Usdc } from '@farebox/money'
import {
  type ChannelOptions,
  type ChannelSettings,
  readChannelOptions,
} from '../channel/channel-options.ts'
import { FareboxError } from '../farebox-error.ts'
import type { Fetch } from '../pay/paying-fetch.ts'
import {
  type FareboxNetwork,
  type PaymentNetwork,
  paymentNetworks,
} from '../pay/payment-network.ts'
import type { PaymentSigner, TypedData } from '../pay/sign-payment.ts'
import type { SpendCaps } from '../pay/spend-budget.ts'

/** A wallet that holds its account and asks its owner to sign, such as a wallet client of viem. */
export type WalletSigner = {
  readonly account?: { readonly address: `0x${string}` } | undefined
  signTypedData(message: TypedData): Promise<`0x${string}`>
}

export type FareboxClientOptions = {
  /** URL of the gateway, such as `https://gateway.example`. */
  readonly baseUrl: string
  /** Signs the payments: a local account of viem. Without it or `signer` only free calls work. */
  readonly account?: PaymentSigner
  /** Instead of `account`: a wallet client of viem, whose owner confirms each payment. */
  readonly signer?: WalletSigner
  /** The highest price of one call. Defaults to 0.10 USDC. */
  readonly maxAmountPerCall?: Usdc
  /** The most that the calls of any hour may cost together. Defaults to `maxTotal`. */
  readonly maxAmountPerHour?: Usdc
  /** The highest total cost of all calls of this client. Defaults to 10 USDC. */
  readonly maxTotal?: Usdc
  /** Networks to pay on. Defaults to both. */
  readonly networks?: readonly FareboxNetwork[]
  /** Pay only this address. */
  readonly payTo?: `0x${string}`
  /**
   * Pays from a payment channel after a few calls, where the gateway sells from one: one deposit, then
   * calls without a transaction. Without it each call is paid for by itself.
   */
  readonly channel?: ChannelOptions
  /** How long to retry a signed request while the gateway has not decided. Defaults to 60. */
  readonly patienceSeconds?: number
  readonly fetch?: Fetch
  /** Milliseconds since 1970. Defaults to `Date.now`. */
  readonly now?: () => number
}

export type ClientSettings = {
  readonly baseUrl: string
  readonly signer: PaymentSigner | undefined
  readonly maxAmountPerCall: Usdc
  readonly caps: SpendCaps
  readonly networks: readonly PaymentNetwork[]
  readonly payTo: string | undefined
  readonly channel: ChannelSettings | undefined
  readonly patienceMs: number
  readonly fetch: Fetch
  readonly now: () => number
}

/** Checks the options and fills in the defaults. Throws `invalid_option`. */
export function readClientOptions(options: FareboxClientOptions): ClientSettings {
  if (!URL.canParse(options.baseUrl)) {
    throw new FareboxError('invalid_option', `baseUrl is not a valid URL: ${options.baseUrl}`)
  }
  const networks = options.networks ?? ['base', 'base-sepolia']
  const maxTotal = options.maxTotal ?? parseUsdc('10')
  return {
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    signer: readSigner(options),
    maxAmountPerCall: options.maxAmountPerCall ?? parseUsdc('0.1'),
    caps: { perHour: options.maxAmountPerHour ?? maxTotal, total: maxTotal },
    networks: networks.map((network) => paymentNetworks[network]),
    payTo: options.payTo,
    channel: options.channel && readChannelOptions(options.channel),
    patienceMs: (options.patienceSeconds ?? 60) * 1_000,
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    now: options.now ?? Date.now,
  }
}

function readSigner({ account, signer }: FareboxClientOptions): PaymentSigner | undefined {
  if (account !== undefined && signer !== undefined) {
    throw new FareboxError('invalid_option', 'Pass either account or signer, not both.')
  }
  return signer === undefined ? account : walletPayer(signer)
}

function walletPayer(wallet: WalletSigner): PaymentSigner {
  const { account } = wallet
  if (account === undefined) {
    throw new FareboxError(
      'invalid_option',
      'signer has no account: create the wallet client with one.',
    )
  }
  return {
    address: account.address,
    signTypedData: async (message) => await wallet.signTypedData(message),
  }
}
