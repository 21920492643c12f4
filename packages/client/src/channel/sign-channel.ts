import { FareboxError } from '../farebox-error.ts'
import { encodeBase64Json } from '../pay/base64-json.ts'
import { randomWord, validBefore } from '../pay/sign-payment.ts'
import type { Wallet } from '../wallet/wallet.ts'
import type { ChannelOffer } from './channel-offer.ts'
import {
  type ChannelConfig,
  depositTypedData,
  type Hex,
  voucherTypedData,
} from './channel-typed-data.ts'
import { isVoucherOf } from './voucher-signature.ts'

/** The parts of a channel that its payloads contain. */
export type SignedFor = {
  readonly id: Hex
  readonly config: ChannelConfig
  readonly offer: ChannelOffer
  /** The sum that the voucher promises. */
  readonly max: bigint
  /** Ends the wait for the wallet. */
  readonly signal: AbortSignal | undefined
}

/** Signs payloads of the `batch-settlement` scheme; each is a value of `PAYMENT-SIGNATURE`. */
export type ChannelSigner = {
  readonly address: Hex
  /** Pays a call. */
  voucher(signed: SignedFor): Promise<string>
  /** Deposits this amount, and pays a call. */
  deposit(signed: SignedFor, amount: bigint): Promise<string>
  /** Requests the return of the rest of the channel. */
  refund(signed: SignedFor): Promise<string>
}

/**
 * Creates the signer of channel payloads. `now` is in milliseconds since 1970. Throws what the
 * wallet throws, and `no_acceptable_payment` for a signature in a form that the contract does not
 * accept.
 */
export function createChannelSigner(wallet: Wallet, now: () => number): ChannelSigner {
  async function signVoucher({ id, offer, max, signal }: SignedFor): Promise<object> {
    const terms = { channelId: id, chainId: offer.network.chainId, max }
    const signature = await wallet.sign(voucherTypedData(terms), signal)
    if (!isVoucherOf(wallet.address, terms, signature)) throw unusable()
    return { channelId: id, maxClaimableAmount: max.toString(), signature }
  }

  async function signDeposit({ id, offer, signal }: SignedFor, amount: bigint): Promise<object> {
    const { network, accepted } = offer
    const expires = BigInt(validBefore(now(), accepted.maxTimeoutSeconds))
    const salt = randomWord()
    const token = { chainId: network.chainId, address: network.usdc, domain: network.domain }
    const terms = { channelId: id, payer: wallet.address, token, amount, salt }
    const deposit = { ...terms, validBefore: expires }
    const signature = await wallet.sign(depositTypedData(deposit), signal)
    const times = { validAfter: '0', validBefore: expires.toString() }
    const authorization = { erc3009Authorization: { ...times, salt, signature } }
    return { amount: amount.toString(), authorization }
  }

  return {
    address: wallet.address,
    async voucher(call) {
      return encode(call, { type: 'voucher', voucher: await signVoucher(call) })
    },
    async deposit(call, amount) {
      const voucher = await signVoucher(call)
      return encode(call, { type: 'deposit', voucher, deposit: await signDeposit(call, amount) })
    },
    async refund(channel) {
      return encode(channel, { type: 'refund', voucher: await signVoucher(channel) })
    },
  }
}

function encode({ config, offer }: SignedFor, signedParts: object): string {
  const { accepted, challenge } = offer
  const { resource, extensions } = challenge
  const payload = { channelConfig: config, ...signedParts }
  return encodeBase64Json({ x402Version: 2, payload, extensions, resource, accepted })
}

function unusable(): FareboxError {
  return new FareboxError(
    'no_acceptable_payment',
    'Payment channels need an account with a private key: omit the option `channel`.',
  )
}
