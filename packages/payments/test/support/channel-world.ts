import {
  type ChannelConfig,
  type ChannelRecord,
  createMemoryDisk,
  createMemoryStore,
  createPaymentId,
  type Hex,
  type LedgerStore,
  type TransferProof,
} from '@farebox/ledger'
import { channelPolicy, defaultPaymentPolicy, type PaymentNotice } from '@farebox/payments'
import { channelContract } from '../../src/chain/addresses.ts'
import { placeOf } from '../../src/chain/log-place.ts'
import type { ChannelOnChain } from '../../src/channel-chain/channel-chain.ts'
import type { ChannelLog } from '../../src/channel-chain/channel-log.ts'
import type { ChannelRoundPorts } from '../../src/channel-chain/channel-round-ports.ts'
import { network, usdc } from './pay.ts'
import { rawChannelLog } from './raw-channel-log.ts'

export const treasury: Hex = `0x${'2'.repeat(40)}`
const authorizer: Hex = `0x${'a'.repeat(40)}`
export const start = 1_700_000_000_000

export const ourConfig: ChannelConfig = {
  payer: `0x${'1'.repeat(40)}`,
  payerAuthorizer: `0x${'1'.repeat(40)}`,
  receiver: treasury,
  receiverAuthorizer: authorizer,
  token: network.usdc,
  withdrawDelay: 900,
  salt: `0x${'0'.repeat(64)}`,
}

export const channelIdOf = (name: number): Hex => `0x${name.toString().repeat(64)}`

/** For more channels than `channelIdOf` has names. */
export const numberedId = (number: number): Hex =>
  `0x${(0xd0000 + number).toString(16).padStart(64, '0')}`

/** An open channel of 100,000 with 10,000 charged, of which 4,000 are claimed. */
export function channelRecord(changes: Partial<ChannelRecord> = {}): ChannelRecord {
  const { id = channelIdOf(1) } = changes
  return {
    id,
    chainId: network.chainId,
    config: { ...ourConfig, salt: id },
    status: 'open',
    reason: null,
    version: 1,
    deposited: usdc(100_000n),
    returned: usdc(0n),
    charged: usdc(10_000n),
    reserved: usdc(0n),
    signed: usdc(10_000n),
    signature: `0x${'9'.repeat(130)}`,
    claimed: usdc(4_000n),
    unclaimedSince: start,
    refundNonce: 0n,
    withdrawAt: null,
    seenBlock: 100,
    turn: null,
    lease: null,
    lastCallAt: start,
    createdAt: start,
    updatedAt: start,
    ...changes,
  }
}

/** A log of the one transaction of a block. */
export function proofAt(block: number, logIndex = 0): TransferProof {
  const blockHash: Hex = `0x${block.toString(16).padStart(64, '0')}`
  return { transaction: blockHash, block, blockHash, logIndex }
}

/** The chain as the rounds see it. */
export type ChannelWorld = {
  head: number
  now: number
  logs: ChannelLog[]
  /** What the contract holds of each channel; of those that are missing, nothing can be read. */
  states: Map<Hex, ChannelOnChain>
  /** Logs whose block was replaced. */
  readonly gone: Set<string>
  /** What becomes of a transaction. */
  sends: 'mined' | 'pending' | 'reverts' | 'unavailable'
  /** What a transaction does that is mined: the logs of its receipt. */
  mines: () => Promise<readonly ChannelLog[]>
  /** Channels whose payee cannot be paid. */
  readonly unpayable: Set<Hex>
}

/** A ledger in memory with these channels, over a chain that the test writes. */
export function channelWorld(
  channels: readonly ChannelRecord[],
  changes: Partial<ChannelRoundPorts> = {},
) {
  const disk = createMemoryDisk()
  const paymentId = createPaymentId(0, crypto.getRandomValues(new Uint8Array(10)))
  disk.commit({
    channels,
    channelUses: channels.map(({ id: channelId, signed: max, signature }) => ({
      channelId,
      voucher: { max, signature: signature ?? '0x' },
      paymentId,
      free: false,
      published: false,
    })),
  })
  const store: LedgerStore = createMemoryStore({ disk })
  const world: ChannelWorld = {
    head: 100,
    now: start,
    logs: [],
    states: new Map(),
    gone: new Set(),
    sends: 'mined',
    mines: async () => [],
    unpayable: new Set(),
  }
  const notices: PaymentNotice[] = []
  const sent: (readonly Hex[])[] = []
  const refunds: { readonly channelId: Hex; readonly nonce: bigint; readonly amount: bigint }[] = []
  const gas: bigint[] = []
  /** The salt of a config tells it apart in the data of a call. */
  const channelsIn = (data: string): readonly Hex[] =>
    channels.map(({ id }) => id).filter((id) => data.includes(id.slice(2)))
  const reads: { readonly fromBlock: number; readonly toBlock: number }[] = []
  const ports = {
    store,
    clock: () => world.now,
    notify: (notice: PaymentNotice) => notices.push(notice),
    network,
    treasury,
    owner: 'replica',
    authorizer: {
      address: authorizer,
      signClaims: async () => '0x1111',
      signRefund: async (terms: (typeof refunds)[number]) => {
        refunds.push(terms)
        return '0x2222'
      },
    },
    closingGas: {
      take: (units: bigint) => {
        gas.push(units)
        return true
      },
      giveBack: () => gas.pop(),
    },
    queue: {
      send: async ({ data }: { readonly data: Hex }) => {
        if (world.sends === 'reverts') return { status: 'reverts', message: 'it reverts' }
        if (world.sends === 'unavailable') return { status: 'unavailable', reason: 'no gas' }
        sent.push(channelsIn(data))
        return { status: 'sent', transaction: '0x1' }
      },
      receiptOf: async () => {
        if (world.sends === 'pending') return undefined
        const [from, to] = [authorizer, channelContract]
        return { status: 'success', from, to, logs: (await world.mines()).map(rawChannelLog) }
      },
    },
    rules: channelPolicy({ withdrawDelaySeconds: 900 }),
    policy: { ...defaultPaymentPolicy, finalConfirmations: 10 },
    refundMinimum: { current: () => usdc(1_000n), refresh: async () => undefined },
    chain: {
      head: async () => ({ number: world.head, hash: '0x0', timestamp: world.now / 1000 }),
      confirmationsOf: async (proof: TransferProof) =>
        world.gone.has(placeOf(proof)) ? 'gone' : 1,
    },
    channelChain: {
      logs: async (range: (typeof reads)[number]) => {
        reads.push(range)
        return world.logs.filter(
          ({ proof }) =>
            proof.block >= range.fromBlock &&
            proof.block <= range.toBlock &&
            !world.gone.has(placeOf(proof)),
        )
      },
      channels: async (ids: readonly Hex[]) => ids.map((id) => world.states.get(id)),
      accepts: async ({ data }: { readonly data: Hex }) =>
        channelsIn(data).every((id) => !world.unpayable.has(id)),
    },
    ...changes,
  } as unknown as ChannelRoundPorts
  const channelNow = async (id = channelIdOf(1)) => (await store.loadChannel(id))!
  return { world, ports, store, disk, notices, reads, sent, refunds, gas, channelNow }
}
