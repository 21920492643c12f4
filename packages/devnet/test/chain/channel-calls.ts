import { type Address, encodeFunctionData, type Hex } from 'viem'
import {
  batchSettlementAbi as abi,
  type Devnet,
  type DevnetAccount,
  depositCollectorAddress,
} from '../../src/index.ts'
import {
  type ChannelConfig,
  channelFrom,
  channelIdOf,
  depositData,
  signClaims,
  signRefund,
  signVoucher,
  type VoucherClaim,
} from './channel.ts'

/** A channel and the keys of its two sides. */
export type TestChannel = {
  readonly config: ChannelConfig
  readonly id: Hex
  readonly payer: DevnetAccount
  readonly authorizer: DevnetAccount
}

/** A channel whose payer signs its vouchers, and whose claims and refunds the treasury signs. */
export function openChannel(
  devnet: Devnet,
  payer: DevnetAccount,
  changes: Partial<ChannelConfig> = {},
): TestChannel {
  const config = channelFrom(devnet, payer.address, changes)
  return { config, id: channelIdOf(config), payer, authorizer: devnet.treasury }
}

export async function depositCall(
  { config, payer }: TestChannel,
  amount = 100n,
  collector: Address = depositCollectorAddress,
): Promise<Hex> {
  const data = await depositData(payer, config, amount)
  return encodeFunctionData({
    abi,
    functionName: 'deposit',
    args: [config, amount, collector, data],
  })
}

type Row = { readonly max: bigint; readonly signer: DevnetAccount; readonly signature: Hex }

/** A row of a batch, under a voucher of the payer for as much as it claims. */
export async function claimRow(
  { config, payer }: TestChannel,
  totalClaimed: bigint,
  { max = totalClaimed, signer = payer, signature }: Partial<Row> = {},
): Promise<VoucherClaim> {
  return {
    voucher: { channel: config, maxClaimableAmount: max },
    signature: signature ?? (await signVoucher(signer, config, max)),
    totalClaimed,
  }
}

export function claimCall(rows: readonly VoucherClaim[]): Hex {
  return encodeFunctionData({ abi, functionName: 'claim', args: [rows] })
}

export async function signedClaimCall(
  authorizer: DevnetAccount,
  rows: readonly VoucherClaim[],
): Promise<Hex> {
  const signature = await signClaims(authorizer, rows)
  return encodeFunctionData({ abi, functionName: 'claimWithSignature', args: [rows, signature] })
}

export function settleCall({ config }: TestChannel): Hex {
  const args = [config.receiver, config.token] as const
  return encodeFunctionData({ abi, functionName: 'settle', args })
}

export function refundCall({ config }: TestChannel, amount: bigint): Hex {
  return encodeFunctionData({ abi, functionName: 'refund', args: [config, amount] })
}

export async function signedRefundCall(
  { config, authorizer }: TestChannel,
  amount: bigint,
  { nonce = 0n, signer = authorizer }: { nonce?: bigint; signer?: DevnetAccount } = {},
): Promise<Hex> {
  const signature = await signRefund(signer, config, { amount, nonce })
  return encodeFunctionData({
    abi,
    functionName: 'refundWithSignature',
    args: [config, amount, nonce, signature],
  })
}

export function withdrawCall({ config }: TestChannel, amount: bigint): Hex {
  return encodeFunctionData({ abi, functionName: 'initiateWithdraw', args: [config, amount] })
}

export function finalizeCall({ config }: TestChannel): Hex {
  return encodeFunctionData({ abi, functionName: 'finalizeWithdraw', args: [config] })
}

export function multicallOf(calls: readonly Hex[]): Hex {
  return encodeFunctionData({ abi, functionName: 'multicall', args: [calls] })
}
