import { parseAtomicUsdc, type Usdc } from '@farebox/money'
import { isRecord } from '../http/is-record.ts'
import { isText } from '../http/is-text.ts'
import type { PaymentNetwork } from '../pay/payment-network.ts'
import {
  type PaymentChallenge,
  type PaymentRequirements,
  type PaymentTerms,
  payableNetwork,
  readChallenge,
} from '../pay/payment-offer.ts'
import { isAddress } from '../wallet/is-address.ts'
import type { Hex } from './channel-typed-data.ts'

/** The state of a channel as the server states it, with a voucher of the client as proof. */
export type StatedChannel = {
  readonly channelId: string
  readonly balance: bigint
  readonly totalClaimed: bigint
  /** The sum that the next voucher is signed on top of. */
  readonly charged: bigint
  readonly signed: bigint
  readonly signature: string
}

/** The offer of a 402 to pay the call from a channel. */
export type ChannelOffer = {
  /** The most that the call can cost. */
  readonly amount: Usdc
  readonly network: PaymentNetwork
  readonly receiver: Hex
  readonly receiverAuthorizer: Hex
  readonly withdrawDelay: number
  /** The minimum that the server asks to deposit. */
  readonly minDeposit: Usdc | undefined
  /** As it is repeated in the payment. */
  readonly accepted: PaymentRequirements
  readonly challenge: PaymentChallenge
  /** Present if the server corrects a voucher that does not continue from the current sum. */
  readonly stated: StatedChannel | undefined
}

/** The cheapest offer of a 402 to pay from a channel within the terms; `undefined` without one. */
export function chooseChannelOffer(
  headers: Headers,
  terms: PaymentTerms,
): ChannelOffer | undefined {
  if (headers.get('payment-required') === null) return undefined
  const challenge = readChallenge(headers.get('payment-required'))
  const [cheapest] = challenge.accepts
    .flatMap((accepted) => readOffer(accepted, challenge, terms))
    .sort((a, b) => (a.amount < b.amount ? -1 : 1))
  return cheapest
}

function readOffer(
  requirements: PaymentRequirements,
  challenge: PaymentChallenge,
  terms: PaymentTerms,
): readonly ChannelOffer[] {
  const network = payableNetwork(requirements, terms)
  const { scheme, amount, payTo, extra = {} } = requirements
  const { channelState, voucherState, ...rest } = extra
  const { receiverAuthorizer, withdrawDelay, minDeposit } = rest
  const isChannel =
    network !== undefined &&
    scheme === 'batch-settlement' &&
    isAmount(amount) &&
    isAddress(payTo) &&
    isAddress(receiverAuthorizer) &&
    isDelay(withdrawDelay)
  if (!isChannel) return []
  return [
    {
      amount: parseAtomicUsdc(amount),
      network,
      receiver: payTo,
      receiverAuthorizer,
      withdrawDelay,
      minDeposit: isAmount(minDeposit) ? parseAtomicUsdc(minDeposit) : undefined,
      accepted: { ...requirements, extra: rest },
      challenge,
      stated: readState(channelState, voucherState),
    },
  ]
}

function readState(channel: unknown, voucher: unknown): StatedChannel | undefined {
  if (!isRecord(channel) || !isRecord(voucher)) return undefined
  const { channelId, balance, totalClaimed, chargedCumulativeAmount: charged } = channel
  const { signedMaxClaimable: signed, signature } = voucher
  const isComplete =
    isText(channelId) &&
    isAmount(balance) &&
    isAmount(totalClaimed) &&
    isAmount(charged) &&
    isAmount(signed) &&
    isText(signature)
  return isComplete
    ? {
        channelId,
        balance: BigInt(balance),
        totalClaimed: BigInt(totalClaimed),
        charged: BigInt(charged),
        signed: BigInt(signed),
        signature,
      }
    : undefined
}

/** Atomic units that a `uint128` of the contract holds. */
export function isAmount(value: unknown): value is string {
  return isText(value) && /^\d{1,38}$/.test(value)
}

/** The bounds of the contract: 15 minutes to 30 days. */
function isDelay(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 900 && Number(value) <= 2_592_000
}
