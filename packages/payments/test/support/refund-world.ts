import {
  createMemoryDisk,
  createMemoryStore,
  type Hex,
  type PaymentRecord,
  type RefundTransfer,
} from '@farebox/ledger'
import { defaultPaymentPolicy, type PaymentNotice, type PaymentPolicy } from '@farebox/payments'
import type { AuthorizationUse } from '@farebox/payments/chain'
import { createRefundBreaker } from '../../src/refund-worker/refund-breaker.ts'
import type { RefundPorts } from '../../src/refund-worker/refund-ports.ts'
import { usdc } from './pay.ts'

export const payer: Hex = `0x${'2'.repeat(40)}`
export const treasury: Hex = `0x${'1'.repeat(40)}`
export const asset: Hex = `0x${'4'.repeat(40)}`
/** Milliseconds since 1970. */
export const start = 1_700_000_000_000
export const expiry = start / 1_000 + 86_400
export const proof = { transaction: '0x7', block: 9, blockHash: '0x2', logIndex: 0 } as const

export const nonceOf = (name: number): Hex => `0x${name.toString().repeat(64)}`

/** A refund of 6,000 that is signed and was not sent. */
export function refundTransfer(changes: Partial<RefundTransfer> = {}): RefundTransfer {
  return {
    nonce: nonceOf(3),
    version: 1,
    chainId: 84532,
    asset,
    payer,
    amount: usdc(6_000n),
    payments: [],
    sequence: null,
    status: 'signed',
    validBefore: expiry,
    signature: '0x5',
    signedAt: start,
    transaction: null,
    proof: null,
    reason: null,
    attempts: 1,
    nextAttemptAt: start,
    lease: null,
    createdAt: start,
    updatedAt: start,
    ...changes,
  }
}

/** That the token moved a refund. */
export function transferred(value = 6_000n, to = payer) {
  return { status: 'transferred', to, value: usdc(value), proof } as const
}

export type RefundWorld = {
  now: number
  /** What the chain shows of a nonce; unused by default. */
  readonly uses: Map<Hex, AuthorizationUse>
  held: bigint
}

/** A ledger in memory with these refunds, over a chain and a sender that the test writes. */
export function refundWorld(
  transfers: readonly RefundTransfer[] = [],
  {
    policy = {},
    ...changes
  }: Omit<Partial<RefundPorts>, 'policy'> & { readonly policy?: Partial<PaymentPolicy> } = {},
) {
  const disk = createMemoryDisk()
  disk.commit({ transfers })
  const store = createMemoryStore({ disk })
  const world: RefundWorld = { now: start, uses: new Map(), held: 10_000n }
  const clock = () => world.now
  const notices: PaymentNotice[] = []
  const notify = (notice: PaymentNotice) => void notices.push(notice)
  const signed: unknown[] = []
  const sent: (readonly Hex[])[] = []
  const breaker = createRefundBreaker({ clock, pauseMs: 5_000, notify })
  const head = { number: 9, hash: '0x2', timestamp: start / 1000 } as const
  const ports = {
    store,
    clock,
    notify,
    breaker,
    owner: 'replica',
    policy: { ...defaultPaymentPolicy, finalConfirmations: 7, blockMs: 20_000, ...policy },
    refundMinimum: { current: () => usdc(1_000n), refresh: async () => undefined },
    takeBatchingTurn: () => false,
    chain: {
      head: async () => head,
      confirmationsOf: async () => 10,
      balanceOf: async () => world.held,
      authorizationUse: async ({ nonce }: { readonly nonce: Hex }) =>
        world.uses.get(nonce) ?? { status: 'unused', head },
    },
    signer: {
      treasury,
      sign: async (authorization: unknown) => {
        signed.push(authorization)
        return '0x6'
      },
    },
    sender: {
      probe: async () => null,
      send: async (refunds: readonly { readonly nonce: Hex }[]) => {
        sent.push(refunds.map(({ nonce }) => nonce))
        return { status: 'sent', transaction: '0x8' }
      },
      isMined: async () => true,
    },
    ...changes,
  } as unknown as RefundPorts
  const refundNow = async (nonce = nonceOf(3)) => (await store.loadRefund(nonce))!
  const noticed = () => notices.map(({ type }) => type)
  return { world, disk, store, ports, notices, noticed, signed, sent, refundNow }
}

/** A payment that a refund comes from, with its settlement in this block. */
export function refunded(changes: Partial<PaymentRecord> = {}): PaymentRecord {
  return { settlement: proof, payload: null, intentBlock: 5, ...changes } as PaymentRecord
}
