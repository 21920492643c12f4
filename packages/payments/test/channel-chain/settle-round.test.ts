import { channelPolicy } from '@farebox/payments'
import { expect, test } from 'vitest'
import { channelContract } from '../../src/chain/addresses.ts'
import type { ChannelRoundPorts } from '../../src/channel-chain/channel-round-ports.ts'
import { createSettleRound } from '../../src/channel-chain/settle-round.ts'
import { network, usdc } from '../support/pay.ts'

const hour = 3_600_000
const start = 100 * hour
const relayer = `0x${'b'.repeat(40)}`
const rules = channelPolicy({ settleAbove: usdc(50_000n), settleAfterMs: 24 * hour })

type Claims = {
  readonly unsettled?: bigint
  /** What the contract has claimed and paid out. */
  readonly receiver?: { readonly totalClaimed: bigint; readonly totalSettled: bigint }
  readonly sends?: 'mined' | 'replaced' | 'pending' | 'reverts' | 'unavailable'
  readonly movements?: readonly { readonly kind: string; readonly at: number }[]
  readonly head?: number
}

/** The round of a treasury with these claims, and what it did. */
function treasury({
  unsettled = 60_000n,
  receiver = { totalClaimed: 90_000n, totalSettled: 30_000n },
  sends = 'mined',
  movements = [],
  head = 100_000,
}: Claims) {
  let now = start
  let sent = 0
  const amounts: unknown[] = []
  const read: number[] = []
  const ports = {
    clock: () => now,
    rules,
    network,
    treasury: `0x${'2'.repeat(40)}`,
    chain: { head: async () => ({ number: head }) },
    channelChain: { receiver: async () => receiver },
    store: {
      channelTotals: async () => ({ unsettled }),
      channelMovements: async ({ fromBlock }: { readonly fromBlock: number }) => {
        read.push(fromBlock)
        return movements
      },
    },
    queue: {
      send: async () => {
        if (sends === 'reverts') return { status: 'reverts', message: 'it reverts' }
        if (sends === 'unavailable') return { status: 'unavailable', reason: 'no gas' }
        sent += 1
        return { status: 'sent', transaction: '0x1' }
      },
      receiptOf: async () => {
        if (sends === 'pending') return undefined
        const to = sends === 'replaced' ? relayer : channelContract
        return { status: 'success', from: relayer, to, logs: [] }
      },
    },
    notify: ({ amount }: { readonly amount: unknown }) => amounts.push(amount),
  } as unknown as ChannelRoundPorts
  return {
    round: createSettleRound(ports),
    sent: () => sent,
    amounts,
    read,
    pass: (ms: number) => {
      now += ms
    },
  }
}

test('claims are paid out once they are worth it, to the unit, and what is paid is reported', async () => {
  const justSettled = [{ kind: 'settle', at: start - hour }]
  const below = treasury({ unsettled: 50_000n, movements: justSettled })
  expect(await below.round()).toBe('not_due')
  const above = treasury({ unsettled: 50_001n, movements: justSettled })
  expect(await above.round()).toBe('settled')
  expect([above.sent(), above.amounts]).toEqual([1, [60_000n]])
})

test('less is paid out when it has waited long enough, to the millisecond', async () => {
  const movements = [
    { kind: 'settle', at: start - 30 * hour },
    { kind: 'settle', at: start - 23 * hour },
    { kind: 'claim', at: start - hour },
  ]
  const { round, pass, sent } = treasury({ unsettled: 1n, movements })
  expect(await round()).toBe('not_due')
  pass(hour - 1)
  expect(await round()).toBe('not_due')
  pass(1)
  expect(await round()).toBe('settled')
  expect(sent()).toBe(1)
})

test('the first payment to the treasury is due at once, and the next one a day later', async () => {
  const { round, pass } = treasury({ unsettled: 1n })
  expect(await round()).toBe('settled')
  expect(await round()).toBe('not_due')
  pass(24 * hour)
  expect(await round()).toBe('settled')
})

test('nothing is sent if nothing is due, or if someone else has paid it out', async () => {
  const nothing = treasury({ unsettled: 0n })
  expect(await nothing.round()).toBe('not_due')
  expect(nothing.read).toEqual([])
  const paid = treasury({ receiver: { totalClaimed: 90_000n, totalSettled: 90_000n } })
  expect(await paid.round()).toBe('not_due')
  expect([...nothing.amounts, nothing.sent(), paid.sent()]).toEqual([0, 0])
})

test.each(['reverts', 'unavailable', 'replaced'] as const)(
  'a transaction that is %s is tried again',
  async (sends) => {
    const { round, amounts } = treasury({ unsettled: 1n, sends })
    expect(await round()).toBe('failed')
    expect(await round()).toBe('failed')
    expect(amounts).toEqual([])
  },
)

test('what is not in a block yet is sent once, and reported by its log alone', async () => {
  const { round, sent, amounts } = treasury({ unsettled: 1n, sends: 'pending' })
  expect(await round()).toBe('settled')
  expect(await round()).toBe('not_due')
  expect([sent(), amounts]).toEqual([1, []])
})

test('the last payment is looked for in a day of blocks', async () => {
  const long = treasury({ head: 100_000 })
  await long.round()
  const short = treasury({ head: 10 })
  await short.round()
  expect([...long.read, ...short.read]).toEqual([56_800, 0])
})
