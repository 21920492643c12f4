import {
  batchSettlementAbi,
  batchSettlementAddress,
  type Devnet,
  type DevnetAccount,
  depositCollectorAddress,
} from '@farebox/devnet'
import type { ChannelConfig, ChannelRecord, PaymentRecord } from '@farebox/ledger'
import { type ChannelPolicy, channelPolicy } from '@farebox/payments'
import { type PaywallParts, sellByChannel } from '@farebox/payments/parts'
import {
  type Abi,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbiParameters,
  toHex,
} from 'viem'
import { createChannelAuthorizer } from '../../src/channel-chain/channel-authorizer.ts'
import { type ChannelChain, createChannelChain } from '../../src/channel-chain/channel-chain.ts'
import { type ChannelRounds, createChannelRounds } from '../../src/channel-chain/channel-rounds.ts'
import { callFor, presentCall, type SignedCall, signCall } from './channel-payment.ts'
import { network, usdc } from './pay.ts'
import { admitted, type TestPaywall, type TestPaywallOptions, until } from './test-paywall.ts'

export type ChannelSetup = {
  readonly paywall: TestPaywall
  readonly rounds: ChannelRounds
  /** The rounds of another replica, or after a restart. */
  another(): ChannelRounds
}

/** The shortest delay of withdrawals; claims and closings at once. */
const testRules: Partial<ChannelPolicy> = {
  withdrawDelaySeconds: 900,
  claimAfterMs: 0,
  settleAfterMs: 0,
  refundAtOnceAbove: usdc(1n),
}

/** A paywall that sells from channels and whose rounds run when the test calls them. */
export function setUpChannels(
  open: (options: Omit<TestPaywallOptions, 'devnet'>) => TestPaywall,
  options: Omit<TestPaywallOptions, 'devnet' | 'channels'> & {
    readonly rules?: Partial<ChannelPolicy>
    /** Who decides on claims and refunds, if it is not the treasury. */
    readonly authorizer?: DevnetAccount
    /** Another node's view of the contract. */
    readonly viewOf?: (chain: ChannelChain) => ChannelChain
  } = {},
): ChannelSetup {
  const { rules: changes, authorizer, viewOf = (chain) => chain, ...rest } = options
  const rules = channelPolicy({ ...testRules, ...changes })
  const replicas: ChannelRounds[] = []
  const channels: NonNullable<PaywallParts['channels']> = sellByChannel({
    policy: rules,
    ...(authorizer && { receiverAuthorizer: authorizer.address }),
    obstacle: async () => await replicas[0]?.obstacle(),
    channelChain: { channels: async (ids) => await channelChain().channels(ids) },
  })
  const paywall = open({ ...rest, channels })
  const { store, chain, clock, queue, devnet } = paywall
  const rpcUrl = options.rpcUrl ?? devnet.rpcUrl
  const { privateKey: key } = authorizer ?? devnet.treasury
  const channelChain = () => viewOf(createChannelChain({ rpcUrl, network }))
  const another = (): ChannelRounds => {
    const rounds = createChannelRounds({
      store,
      chain,
      clock,
      queue,
      network,
      rules,
      owner: `${rest.owner ?? 'replica'}-${replicas.length}`,
      treasury: devnet.treasury.address,
      refundMinimum: { current: () => usdc(1n), refresh: async () => undefined },
      authorizer: createChannelAuthorizer({ key, network }),
      channelChain: channelChain(),
      policy: { refundConfirmations: 1, finalConfirmations: 3 },
      onEvent: (notice) => paywall.notices.push(notice),
    })
    replicas.push(rounds)
    return rounds
  }
  return { paywall, rounds: another(), another }
}

const ceiling = 10_000n
export const deposit = 100_000n

/** Opens a channel and buys its first call at this cost. */
export async function buyFirst(
  { paywall, rounds }: ChannelSetup,
  payer: DevnetAccount,
  cost: bigint,
): Promise<SignedCall> {
  if ((await rounds.obstacle()) !== undefined) await rounds.runOnce()
  const call = await signCall(paywall, payer, { ceiling, deposit })
  const payment = admitted(await paywall.gate.admit(callFor(call.headers, { ceiling })))
  await complete(paywall, payment, cost)
  return call
}

type Stage = {
  readonly open: Parameters<typeof setUpChannels>[0]
  readonly payer: (index: number) => DevnetAccount
}

/** Sets channels up, and buys a first call for 4,000 units from a new one of the first payer. */
export function buyerOn({ open, payer }: Stage) {
  return async (options?: Parameters<typeof setUpChannels>[1]) => {
    const setup = setUpChannels(open, options)
    return { setup, call: await buyFirst(setup, payer(0), 4_000n) }
  }
}

let lastDigest = 0

/** Begins another call, on top of what was charged. */
export async function beginCall(
  { paywall }: ChannelSetup,
  payer: DevnetAccount,
  call: SignedCall,
): Promise<PaymentRecord> {
  lastDigest += 1
  const { charged } = await channelOf({ paywall }, call)
  const digest = `d${lastDigest}`
  return admitted(await presentCall(paywall, payer, { ceiling, base: charged, digest }))
}

export async function complete(
  paywall: TestPaywall,
  payment: PaymentRecord,
  cost: bigint,
): Promise<void> {
  await paywall.gate.complete(payment, { cost: usdc(cost), usage: null, answer: null })
}

export async function channelOf(
  { paywall }: Pick<ChannelSetup, 'paywall'>,
  { channelId }: Pick<SignedCall, 'channelId'>,
): Promise<ChannelRecord> {
  const channel = await paywall.store.loadChannel(channelId)
  if (channel === undefined) throw new Error('the channel is unknown')
  return channel
}

/** A call of the contract as anyone makes it; throws if it reverts. */
export async function callContract(
  devnet: Devnet,
  from: Hex,
  call: {
    readonly functionName: 'initiateWithdraw' | 'refund' | 'finalizeWithdraw' | 'claim' | 'deposit'
    readonly args: readonly unknown[]
  },
): Promise<void> {
  const abi: Abi = batchSettlementAbi
  const data = encodeFunctionData({ abi, ...call })
  await devnet.setEthBalance(from, 10n ** 18n)
  await devnet.rpc('anvil_impersonateAccount', [from])
  const transaction = { from, to: batchSettlementAddress, data, gas: toHex(1_000_000) }
  const hash = await devnet.rpc<Hex>('eth_sendTransaction', [transaction])
  let receipt: { status: Hex } | null = null
  await until(async () => {
    receipt = await devnet.rpc<{ status: Hex } | null>('eth_getTransactionReceipt', [hash])
    return receipt !== null
  })
  if (receipt!.status !== '0x1') throw new Error(`${call.functionName} reverted`)
}

export async function announceWithdrawal(
  devnet: Devnet,
  { payer, ...config }: ChannelConfig,
  amount: bigint,
): Promise<void> {
  const args = [{ payer, ...config }, amount]
  await callContract(devnet, payer, { functionName: 'initiateWithdraw', args })
}

export async function finishWithdrawal(devnet: Devnet, config: ChannelConfig): Promise<void> {
  await devnet.increaseTime(901)
  const args = [config]
  await callContract(devnet, config.payer, { functionName: 'finalizeWithdraw', args })
}

type SignedParts = {
  readonly voucher: { readonly maxClaimableAmount: string; readonly signature: Hex }
  readonly deposit?: {
    readonly amount: string
    readonly authorization: {
      readonly erc3009Authorization: {
        readonly validAfter: string
        readonly validBefore: string
        readonly salt: Hex
        readonly signature: Hex
      }
    }
  }
}

const collectorData = parseAbiParameters(
  'uint256 validAfter, uint256 validBefore, uint256 salt, bytes signature',
)

/** Makes the deposit of a signed call without us. */
export async function depositAlone(devnet: Devnet, call: SignedCall): Promise<void> {
  const { deposit: signed } = call.payload as SignedParts
  if (signed === undefined) throw new Error('the call has no deposit')
  const { validAfter, validBefore, salt, signature } = signed.authorization.erc3009Authorization
  const data = encodeAbiParameters(collectorData, [
    BigInt(validAfter),
    BigInt(validBefore),
    BigInt(salt),
    signature,
  ])
  const args = [call.config, BigInt(signed.amount), depositCollectorAddress, data]
  await callContract(devnet, call.config.payer, { functionName: 'deposit', args })
}

/** Claims all that a call's voucher promises, as the authorizer of its channel. */
export async function claimAlone(
  devnet: Devnet,
  authorizer: Hex,
  { config, payload }: SignedCall,
): Promise<void> {
  const { voucher } = payload as SignedParts
  const max = BigInt(voucher.maxClaimableAmount)
  const signed = { channel: config, maxClaimableAmount: max }
  const row = { voucher: signed, signature: voucher.signature, totalClaimed: max }
  await callContract(devnet, authorizer, { functionName: 'claim', args: [[row]] })
}
