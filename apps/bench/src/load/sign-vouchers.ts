import type { DevnetAccount } from '@farebox/devnet'
import {
  BatchSettlementEvmScheme,
  computeChannelId,
  createBatchSettlementEIP3009DepositPayload,
  signVoucher,
} from '@x402/evm/batch-settlement/client'
import { privateKeyToAccount } from 'viem/accounts'
import { encodePayment } from './encode-payment.ts'
import type { Offered } from './sign-payments.ts'

/** Signs payments of an offer by the payers in turn. `deposit` sends one that is not measured. */
export type SignVouchers = (
  offer: Offered,
  payers: readonly DevnetAccount[],
  order: { readonly count: number; readonly deposit: (payment: string) => Promise<void> },
) => Promise<readonly string[]>

type Channel = {
  /** What all vouchers so far promise together. */
  signed: bigint
  readonly voucher: (max: bigint) => Promise<object>
}

const deposited = '5000000'

/** Pays from a channel for each payer, which its first call opens; vouchers rise from call to call. */
export function createVoucherSigner(): SignVouchers {
  const channels = new Map<string, Channel>()
  return async function signVouchers(offer, payers, { count, deposit }) {
    const ceiling = BigInt(offer.accepted.amount)
    const opened = payers.map(async (payer) => {
      const known = channels.get(payer.address)
      if (known !== undefined) return known
      const { channel, payment } = await openChannel(offer, payer)
      await deposit(payment)
      channels.set(payer.address, channel)
      return channel
    })
    const own = await Promise.all(opened)
    const payments: string[] = []
    for (let index = 0; index < count; index += 1) {
      const channel = own[index % own.length]
      if (channel === undefined) throw new RangeError('No payer was given')
      channel.signed += ceiling
      payments.push(encodePayment(offer, await channel.voucher(channel.signed)))
    }
    return payments
  }
}

async function openChannel(
  offer: Offered,
  { privateKey }: DevnetAccount,
): Promise<{ readonly channel: Channel; readonly payment: string }> {
  const account = privateKeyToAccount(privateKey)
  const { accepted } = offer
  const { network, amount } = accepted
  const channelConfig = new BatchSettlementEvmScheme(account).buildChannelConfig(accepted)
  const id = computeChannelId(channelConfig, network)
  const { payload } = await createBatchSettlementEIP3009DepositPayload(
    account,
    2,
    accepted,
    channelConfig,
    deposited,
    amount,
  )
  const voucher = async (max: bigint): Promise<object> => ({
    type: 'voucher',
    channelConfig,
    voucher: await signVoucher(account, id, max.toString(), network),
  })
  return { channel: { signed: BigInt(amount), voucher }, payment: encodePayment(offer, payload) }
}
