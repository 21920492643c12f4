import type { ChannelRecord, Hex } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { channelContract } from '../../src/chain/addresses.ts'
import type { ChannelOnChain } from '../../src/channel-chain/channel-chain.ts'
import type { ChannelRoundPorts } from '../../src/channel-chain/channel-round-ports.ts'
import { claimBatch, claimRowOf } from '../../src/channel-chain/claim-batch.ts'
import type { ClaimRow } from '../../src/channel-chain/contract-calls.ts'
import { network, usdc } from '../support/pay.ts'

const authorizer: Hex = `0x${'a'.repeat(40)}`
const relayer: Hex = `0x${'b'.repeat(40)}`
const config: ChannelRecord['config'] = {
  payer: `0x${'1'.repeat(40)}`,
  payerAuthorizer: `0x${'1'.repeat(40)}`,
  receiver: `0x${'2'.repeat(40)}`,
  receiverAuthorizer: authorizer,
  token: network.usdc,
  withdrawDelay: 900,
  salt: `0x${'0'.repeat(64)}`,
}
const idOf = (name: number): Hex => `0x${name.toString().repeat(64)}`
const signature: Hex = `0x${'9'.repeat(130)}`

function rowOf(name: number): ClaimRow {
  const channelId = idOf(name)
  const voucher = { channelId, max: usdc(10_000n), signature }
  // The salt tells the rows of a call apart.
  return { channelId, config: { ...config, salt: channelId }, voucher, total: 4_000n }
}

const escrow: ChannelOnChain = {
  balance: 100_000n,
  totalClaimed: 0n,
  withdrawalSince: null,
  refundNonce: 0n,
}

type Contract = {
  /** Rows with which a transaction reverts. */
  readonly refuses?: readonly number[]
  readonly sends?: 'mined' | 'replaced' | 'pending' | 'unavailable'
  /** What the contract holds of each channel. */
  readonly state?: ChannelOnChain
  /** A simulation that the relayer is not needed for. */
  readonly accepts?: boolean
}

/** A contract and a relayer, the sizes of what was sent, and the channels that were frozen. */
function contract({ refuses = [], sends = 'mined', state = escrow, accepts = false }: Contract) {
  const sent: number[] = []
  const frozen: Hex[] = []
  const rowsIn = (data: Hex): number =>
    [1, 2, 3, 4, 5].filter((name) => data.includes(idOf(name).slice(2))).length
  const ports = {
    authorizer: { address: authorizer, signClaims: async () => signature },
    queue: {
      send: async ({ data }: { readonly data: Hex }) => {
        if (refuses.some((name) => data.includes(idOf(name).slice(2)))) {
          return { status: 'reverts', message: 'it reverts' }
        }
        if (sends === 'unavailable') return { status: 'unavailable', reason: 'no gas' }
        sent.push(rowsIn(data))
        return { status: 'sent', transaction: '0x1' }
      },
      receiptOf: async () => {
        if (sends === 'pending') return undefined
        const to = sends === 'replaced' ? relayer : channelContract
        return { status: 'success', from: relayer, to, logs: [] }
      },
    },
    channelChain: {
      tryCall: async () => ({ before: state, isAccepted: accepts }),
    },
    store: {
      loadChannel: async (id: Hex) => ({ id, status: 'open' }),
      applyToChannel: async (channel: { readonly id: Hex }) => {
        frozen.push(channel.id)
        return { status: 'applied', channel }
      },
    },
    clock: () => 0,
    notify: () => undefined,
  }
  return { ports: ports as unknown as ChannelRoundPorts, sent, frozen }
}

test('rows are claimed in one transaction, and none needs none', async () => {
  const { ports, sent } = contract({})
  expect(await claimBatch(ports, [])).toEqual({ claimed: 0, refused: 0, waiting: 0 })
  const rows = [rowOf(1), rowOf(2)]
  expect(await claimBatch(ports, rows)).toEqual({ claimed: 2, refused: 0, waiting: 0 })
  expect(sent).toEqual([2])
})

test.each(['replaced', 'pending', 'unavailable'] as const)(
  'rows of a transaction that is %s wait, and no channel is frozen',
  async (sends) => {
    const { ports, frozen } = contract({ sends })
    const result = await claimBatch(ports, [rowOf(1), rowOf(2)])
    expect(result).toEqual({ claimed: 0, refused: 0, waiting: 2 })
    expect(frozen).toEqual([])
  },
)

test('rows that the contract refuses are found by halves, and delay no other', async () => {
  const { ports, sent, frozen } = contract({ refuses: [2, 5] })
  const rows = [1, 2, 3, 4, 5].map(rowOf)
  expect(await claimBatch(ports, rows)).toEqual({ claimed: 3, refused: 2, waiting: 0 })
  expect(sent).toEqual([1, 1, 1])
  expect(frozen).toEqual([idOf(2), idOf(5)])
})

test.each<readonly [string, Contract]>([
  ['whose escrow is smaller than the ledger has read', { state: { ...escrow, balance: 3_999n } }],
  ['that was claimed meanwhile', { state: { ...escrow, totalClaimed: 4_000n } }],
  ['of which more was claimed meanwhile', { state: { ...escrow, totalClaimed: 4_001n } }],
  ['that only the relayer cannot send', { accepts: true }],
])('a row alone that reverts waits: one %s', async (_, how) => {
  const { ports, frozen } = contract({ refuses: [1], ...how })
  expect(await claimBatch(ports, [rowOf(1)])).toEqual({ claimed: 0, refused: 0, waiting: 1 })
  expect(frozen).toEqual([])
})

test('what waits in one half is counted with what waits in the other', async () => {
  const { ports } = contract({ refuses: [1, 2], accepts: true })
  const result = await claimBatch(ports, [rowOf(1), rowOf(2)])
  expect(result).toEqual({ claimed: 0, refused: 0, waiting: 2 })
})

test('a row that reverts although its escrow is there to the unit freezes its channel', async () => {
  const almost = { ...escrow, balance: 4_000n, totalClaimed: 3_999n }
  const { ports, frozen } = contract({ refuses: [1], state: almost })
  expect(await claimBatch(ports, [rowOf(1)])).toEqual({ claimed: 0, refused: 1, waiting: 0 })
  expect(frozen).toEqual([idOf(1)])
})

/** The row of a channel whose voucher was published in this state. */
async function claimed(
  amounts: Partial<Record<'charged' | 'claimed' | 'deposited' | 'returned', bigint>>,
  receiverAuthorizer = authorizer,
) {
  const id = idOf(1)
  const { voucher } = rowOf(1)
  const channel = { charged: 0n, claimed: 0n, deposited: 100_000n, returned: 0n, ...amounts }
  const publishVoucher = async () => ({ channel, voucher })
  const ports = {
    store: { publishVoucher },
    authorizer: { address: authorizer },
  } as unknown as ChannelRoundPorts
  const record = { id, config: { ...config, receiverAuthorizer } } as unknown as ChannelRecord
  return (await claimRowOf(ports, record))?.total
}

test('a row claims what was charged, as far as the escrow covers it, once', async () => {
  expect(await claimed({ charged: 4_000n })).toBe(4_000n)
  expect(await claimed({ charged: 4_000n, claimed: 3_999n })).toBe(4_000n)
  expect(await claimed({ charged: 4_000n, claimed: 4_000n })).toBeUndefined()
  expect(await claimed({ charged: 4_000n, deposited: 9_000n, returned: 6_000n })).toBe(3_000n)
})

test('a channel on which another key decides has no row, nor has one without a voucher', async () => {
  expect(await claimed({ charged: 4_000n }, `0x${'b'.repeat(40)}`)).toBeUndefined()
  const store = { publishVoucher: async () => undefined }
  const ports = { store, authorizer: { address: authorizer } } as unknown as ChannelRoundPorts
  expect(
    await claimRowOf(ports, { id: idOf(1), config } as unknown as ChannelRecord),
  ).toBeUndefined()
})
