/**
 * What payment channels cost in gas, measured on a devnet: each transaction of a channel's life, and
 * what that makes for a call, compared with payments by `exact`.
 *
 *     node --conditions=farebox-source packages/payments/bench/channel-gas.ts
 */
import { type DevnetAccount, startDevnet } from '@farebox/devnet'
import type { ChannelConfig, Hex } from '@farebox/ledger'
import {
  computeChannelId,
  createBatchSettlementEIP3009DepositPayload,
  signVoucher,
} from '@x402/evm/batch-settlement/client'
import { getAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { depositCall } from '../src/calls/deposit-call.ts'
import { encodeMulticall } from '../src/calls/multicall.ts'
import { transferCall } from '../src/calls/transfer-call.ts'
import { readChannelPayload } from '../src/channel/channel-payload.ts'
import { createChannelAuthorizer } from '../src/channel-chain/channel-authorizer.ts'
import {
  type ClaimRow,
  claimCall,
  closeBatchCall,
  closeCall,
  settleCall,
} from '../src/channel-chain/contract-calls.ts'
import type { TransactionCall } from '../src/relayer/transaction-call.ts'
import { createTransactionQueue } from '../src/relayer/transaction-queue.ts'
import { network, signAuthorization, usdc } from '../test/support/pay.ts'

/** At 0.005 gwei and $3,000 for an ether. */
const dollarsOfGas = 1.5e-8
const deposited = 1_000_000n
const devnet = await startDevnet({ payers: 140 })
try {
  const channels = await withRelayer(measureChannels)
  const exact = await withRelayer(measureExact)
  printTransactions({ ...channels, ...exact })
  printCalls(channels, exact)
} finally {
  await devnet.stop()
}

type Channel = {
  readonly id: Hex
  readonly config: ChannelConfig
  readonly deposit: () => Promise<TransactionCall>
  readonly row: (total: bigint) => Promise<ClaimRow>
}

function channelOf(payer: DevnetAccount, treasury: Hex): Channel {
  const account = privateKeyToAccount(payer.privateKey)
  const [receiver, token] = [getAddress(treasury), getAddress(network.usdc)]
  const config: ChannelConfig = {
    payer: account.address,
    payerAuthorizer: account.address,
    receiver,
    receiverAuthorizer: receiver,
    token,
    withdrawDelay: 86_400,
    salt: `0x${'0'.repeat(64)}`,
  }
  const id = computeChannelId(config, network.caip2)
  const accepted = {
    scheme: 'batch-settlement',
    network: network.caip2,
    amount: '1000',
    asset: token,
    payTo: receiver,
    maxTimeoutSeconds: 300,
    extra: { ...network.domain, receiverAuthorizer: receiver, withdrawDelay: 86_400 },
  }
  return {
    id,
    config,
    async deposit() {
      const amounts = [deposited.toString(), '1000'] as const
      const signed = await createBatchSettlementEIP3009DepositPayload(
        account,
        2,
        accepted,
        config,
        ...amounts,
      )
      const read = readChannelPayload(signed.payload, network)
      if (read.status !== 'read' || read.payload.type !== 'deposit') throw new Error(read.status)
      const { authorization, salt, signature } = read.payload.deposit
      return depositCall({ ...authorization, config, amount: deposited, salt, signature })
    },
    async row(total) {
      const max = usdc(total + 1_000n)
      const { signature } = await signVoucher(account, id, max.toString(), network.caip2)
      return { channelId: id, config, voucher: { max, signature }, total }
    },
  }
}

type Gas = bigint

type Send = (call: TransactionCall) => Promise<Gas>

async function withRelayer<Result>(work: (send: Send) => Promise<Result>): Promise<Result> {
  const { rpcUrl, relayer } = devnet
  const queue = createTransactionQueue({ rpcUrl, network, key: relayer.privateKey })
  try {
    return await work(async (call) => {
      const sent = await queue.send(call)
      if (sent.status !== 'sent') throw new Error(sent.status)
      const receipt = await queue.receiptOf(sent.transaction, 30_000)
      if (receipt?.status !== 'success') throw new Error(receipt?.status ?? 'no receipt')
      return receipt.gasUsed
    })
  } finally {
    queue.close()
  }
}

async function measureChannels(send: Send) {
  const { treasury, payers } = devnet
  const authorizer = createChannelAuthorizer({ key: treasury.privateKey, network })
  const channels = payers.slice(0, 130).map((payer) => channelOf(payer, treasury.address))
  const deposits: Gas[] = []
  for (const channel of channels) deposits.push(await send(await channel.deposit()))
  const claim = async (from: number, count: number, total: bigint): Promise<Gas> => {
    const rows = await Promise.all(channels.slice(from, from + count).map(({ row }) => row(total)))
    const entries = rows.map(({ channelId, voucher, total: claimed }) => ({
      channelId,
      maxClaimableAmount: voucher.max,
      totalClaimed: claimed,
    }))
    return await send(claimCall(rows, await authorizer.signClaims(entries)))
  }
  const close = async (channel: Channel, total: bigint): Promise<TransactionCall> => {
    const row = await channel.row(total)
    const { channelId, voucher } = row
    const signature = await authorizer.signClaims([
      { channelId, maxClaimableAmount: voucher.max, totalClaimed: total },
    ])
    const amount = deposited - total
    const refund = { channelId: channel.id, nonce: 0n, amount }
    const signed = {
      config: channel.config,
      ...refund,
      signature: await authorizer.signRefund(refund),
    }
    return closeCall({ claim: { row, signature }, refund: signed })
  }
  // The first of each kind writes slots that later ones find written.
  await claim(129, 1, 5_000n)
  const claims = { one: await claim(0, 1, 5_000n), ten: await claim(1, 10, 5_000n) }
  const hundred = await claim(11, 100, 5_000n)
  const settle = settleCall(treasury.address, network.usdc)
  const settleFirst = await send(settle)
  await claim(0, 1, 6_000n)
  const settleLater = await send(settle)
  const lone = await send(await close(channels[112] ?? fail(), 5_000n))
  const ten = channels.slice(113, 123)
  const calls = await Promise.all(ten.map((channel) => close(channel, 5_000n)))
  const closeTen = await send(closeBatchCall(calls, network))
  return {
    deposit: deposits[1] ?? fail(),
    topUp: await send(await (channels[0] ?? fail()).deposit()),
    claimOne: claims.one,
    claimTen: claims.ten,
    claimHundred: hundred,
    settleFirst,
    settleLater,
    close: lone,
    closeTen,
  }
}

async function measureExact(send: Send) {
  const { treasury, payers } = devnet
  const transfer = async (signer: DevnetAccount, to: Hex): Promise<TransactionCall> => {
    const { message, signature } = await signAuthorization({ signer, to, value: 1_000n })
    const [validAfter, validBefore] = [Number(message.validAfter), Number(message.validBefore)]
    return transferCall({ ...message, asset: network.usdc, validAfter, validBefore, signature })
  }
  const [first, ...rest] = payers
  await send(await transfer(first ?? fail(), treasury.address))
  const settleAlone = await send(await transfer(rest[0] ?? fail(), treasury.address))
  const fifty = await Promise.all(
    rest.slice(1, 51).map((payer) => transfer(payer, treasury.address)),
  )
  const settleFifty = await send({ to: network.multicall3, data: encodeMulticall(fifty) })
  const refunds = await Promise.all(
    rest.slice(0, 51).map(({ address }) => transfer(treasury, address)),
  )
  const [lone, ...others] = refunds
  const refundAlone = await send(lone ?? fail())
  const data = encodeMulticall(others)
  const refundFifty = await send({ to: network.multicall3, data })
  return { settleAlone, settleFifty, refundAlone, refundFifty }
}

type ChannelGas = Awaited<ReturnType<typeof measureChannels>>
type ExactGas = Awaited<ReturnType<typeof measureExact>>

function dollars(gas: number): string {
  return (gas * dollarsOfGas).toFixed(gas < 5_000 ? 6 : 4)
}

function row(cells: readonly (string | number)[]): void {
  console.log(`| ${cells.join(' | ')} |`)
}

function printTransactions(gas: ChannelGas & ExactGas): void {
  const rows: readonly (readonly [string, Gas, number])[] = [
    ['deposit into a new channel', gas.deposit, 1],
    ['deposit into a known one', gas.topUp, 1],
    ['claim from one channel', gas.claimOne, 1],
    ['claim from 10, each', gas.claimTen, 10],
    ['claim from 100, each', gas.claimHundred, 100],
    ['payment of claims to the treasury, the first', gas.settleFirst, 1],
    ['payment of claims to the treasury, later', gas.settleLater, 1],
    ['claim and refund of one channel', gas.close, 1],
    ['claim and refund of 10, each', gas.closeTen, 10],
    ['`exact`: settlement alone', gas.settleAlone, 1],
    ['`exact`: settlement in a group of 50, each', gas.settleFifty, 50],
    ['`exact`: refund alone', gas.refundAlone, 1],
    ['`exact`: refund in a batch of 50, each', gas.refundFifty, 50],
  ]
  row(['transaction', 'gas', '$'])
  row(['---', '---:', '---:'])
  for (const [name, whole, parts] of rows) {
    const each = Number(whole) / parts
    row([name, Math.round(each).toLocaleString('en'), dollars(each)])
  }
  console.log()
}

/**
 * By `exact` each call is settled; its refund is made alone, or, grouped, once for all calls of a payer.
 * A channel is deposited into and closed in a batch of 10, which pays a tenth of a settle; 100 calls
 * take one more claim in a batch, 1,000 three and four more deposits.
 */
function printCalls(gas: ChannelGas, exact: ExactGas): void {
  const of = (value: Gas): number => Number(value)
  const single = of(exact.settleAlone) + of(exact.refundAlone)
  const life = of(gas.deposit) + (of(gas.closeTen) + of(gas.settleLater)) / 10
  const claim = of(gas.claimTen) / 10
  const counts = [1, 10, 100, 1_000]
  const channel = (calls: number): number => {
    const claims = calls >= 1_000 ? 3 : calls >= 100 ? 1 : 0
    return (life + claims * claim + (calls >= 1_000 ? 4 : 0) * of(gas.topUp)) / calls
  }
  const grouped = (calls: number): number =>
    of(exact.settleFifty) / 50 + of(exact.refundFifty) / 50 / calls
  const lines: readonly (readonly [string, (calls: number) => number])[] = [
    ['`exact`, each call alone', () => single],
    ['`exact`, in groups of 50', grouped],
    ['from a channel', channel],
  ]
  row(['gas of a call, of so many', ...counts.map((count) => count.toLocaleString('en'))])
  row(['---', ...counts.map(() => '---:')])
  for (const [name, of1] of lines) {
    const cells = counts.map((count) => {
      const each = of1(count)
      return `${Math.round(each).toLocaleString('en')} ($${dollars(each)})`
    })
    row([name, ...cells])
  }
}

function fail(): never {
  throw new Error('nothing to measure')
}
