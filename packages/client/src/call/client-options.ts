import { parseUsdc, type Usdc } from '@farebox/money'
import {
  type ChannelOptions,
  type ChannelSettings,
  readChannelOptions,
} from '../channel/channel-options.ts'
import { invalidOption, refuseUnknown } from '../invalid-option.ts'
import type { Fetch } from '../pay/paying-fetch.ts'
import { type FareboxNetwork, networksOf, type PaymentNetwork } from '../pay/payment-network.ts'
import type { SpendCaps } from '../pay/spend-budget.ts'
import { usdcOption } from '../pay/usdc-option.ts'
import { isAddress } from '../wallet/is-address.ts'
import type { PaymentSigner, TypedData } from '../wallet/payment-signer.ts'
import { requireAccount } from '../wallet/require-account.ts'
import { milliseconds } from './milliseconds.ts'

/** A wallet that holds its account and asks its owner to sign: a wallet client of viem that has one. */
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
  /** How long the wallet may take to sign. Defaults to 300. */
  readonly signatureSeconds?: number
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
  readonly signatureMs: number
  readonly fetch: Fetch
  readonly now: () => number
}

/** Checks the options and fills in the defaults. Throws `invalid_option`. */
export function readClientOptions(options: FareboxClientOptions): ClientSettings {
  const {
    baseUrl,
    account,
    signer,
    maxAmountPerCall = parseUsdc('0.1'),
    maxTotal = parseUsdc('10'),
    maxAmountPerHour = maxTotal,
    networks,
    payTo,
    channel,
    patienceSeconds = 60,
    signatureSeconds = 300,
    fetch: send,
    now = Date.now,
    ...unknown
    // Plain JavaScript may pass nothing.
  } = { ...options }
  refuseUnknown('client', unknown)
  if (payTo !== undefined && !isAddress(payTo)) {
    throw invalidOption('payTo must be an address, 0x and 40 hexadecimal digits.')
  }
  // A CommonJS import of a fetch is often an object: its calls would look like a gateway that is down.
  if (send !== undefined && typeof send !== 'function') {
    throw invalidOption('fetch must be a function.')
  }
  return {
    baseUrl: urlOf(baseUrl),
    signer: readSigner({ account, signer }),
    maxAmountPerCall: usdcOption('maxAmountPerCall', maxAmountPerCall),
    caps: {
      total: usdcOption('maxTotal', maxTotal),
      perHour: usdcOption('maxAmountPerHour', maxAmountPerHour),
    },
    networks: networksOf(networks),
    payTo,
    channel: channel && readChannelOptions(channel),
    patienceMs: milliseconds('patienceSeconds', patienceSeconds),
    signatureMs: milliseconds('signatureSeconds', signatureSeconds),
    fetch: send ?? ((input, init) => fetch(input, init)),
    now,
  }
}

function urlOf(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) throw invalidOption(`baseUrl is not a valid URL: ${baseUrl}`)
  if (/^https?:$/.test(new URL(baseUrl).protocol)) return baseUrl.replace(/\/+$/, '')
  throw invalidOption(`baseUrl must begin with http:// or https://: ${baseUrl}`)
}

/** Plain JavaScript may pass null. */
type Payer = {
  readonly account: PaymentSigner | null | undefined
  readonly signer: WalletSigner | null | undefined
}

function readSigner({ account, signer }: Payer): PaymentSigner | undefined {
  if (account !== undefined && signer !== undefined) {
    throw invalidOption('Pass either account or signer, not both.')
  }
  if (signer !== undefined) return walletPayer(signer)
  return account === undefined ? undefined : requireAccount(account)
}

function walletPayer(wallet: WalletSigner | null): PaymentSigner {
  if (!isAddress(wallet?.account?.address)) {
    throw invalidOption('signer has no account: create the wallet client with one.')
  }
  return {
    address: wallet.account.address,
    signTypedData: async (message) => await wallet.signTypedData(message),
  }
}
