import { type ChannelRecord, channelAmounts, type Hex } from '@farebox/ledger'
import type { Log, SimBlock } from '../chain.ts'
import { noFaults } from '../faults.ts'
import { readOnChange, type SimContext } from '../sim-context.ts'
import type { SimChannel } from './channel-contract.ts'
import type { ChannelPayer } from './channel-payer.ts'

/** Compares what the contract does with the ledger, block by block. */
export type ChainWatch = {
  onTheft(transaction: Hex): void
  onRestore(): void
  /** Whether its vouchers are refused, or the ledger forgot some. */
  maySeemWrong(id: Hex): boolean
  /** Whether the ledger has not read yet what is deposited on the chain. */
  hasOtherDeposits(id: Hex): boolean
  /**
   * Whether more is claimed on the chain than the ledger has charged. After a restore, only claims of
   * before it count: one that was on its way is read with the next logs.
   */
  isAhead(id: Hex | null): boolean
  /** Whether the voucher, as channel and amount, is in a claim on the chain. */
  isPublished(voucher: string): boolean
  /** What was found in the blocks since the last call. */
  violations(): readonly string[]
  unfinished(channel: ChannelRecord): readonly string[]
  /** Between ledger and contract, in what each has. */
  differences(channel: ChannelRecord): readonly string[]
}

export function createChainWatch(context: SimContext, payers: readonly ChannelPayer[]): ChainWatch {
  const { chain, disk, count } = context
  const seen = new Set<Hex>()
  const thefts = new Set<Hex>()
  /** The block in which a refund was mined first. */
  const judged = new Map<Hex, Hex>()
  let restored: SimBlock | null = null

  const isPoisoned = (id: Hex): boolean =>
    payers.some(({ channelId, isPoisoned: is }) => channelId === id && is)

  function newBlocks(): readonly SimBlock[] {
    const blocks: SimBlock[] = []
    for (let block: SimBlock | undefined = chain.head(); block !== undefined; ) {
      if (seen.has(block.hash)) break
      seen.add(block.hash)
      blocks.unshift(block)
      block = chain.block(block.number - 1)
    }
    return blocks
  }

  const deposits = readOnChange(context, () => {
    const sums = new Map<Hex, bigint>()
    for (const event of chain.logs().flatMap(({ events }) => events)) {
      if (event.type !== 'deposited') continue
      sums.set(event.channelId, (sums.get(event.channelId) ?? 0n) + event.amount)
    }
    return sums
  })

  function depositedOnChain(id: Hex): bigint {
    return deposits().get(id) ?? 0n
  }

  /**
   * A channel whose deposits were all returned is created again by the next one: a restored ledger may
   * know it only from then on.
   */
  function depositsKnown({ id, deposited }: ChannelRecord): bigint {
    const all = depositedOnChain(id)
    if (restored === null) return all
    let before = 0n
    for (const event of chain.logs().flatMap((log) => log.events)) {
      if (!('channelId' in event) || event.channelId !== id) continue
      if (event.type === 'created' && all - before === deposited) return deposited
      if (event.type === 'deposited') before += event.amount
    }
    return all
  }

  function hasLostDeposit(id: Hex): boolean {
    return depositedOnChain(id) < (disk.channels.get(id)?.deposited ?? 0n)
  }

  /** A refund of ours leaves what was charged and what is in flight. */
  function refundViolations(block: SimBlock, { proof, events }: Log): readonly string[] {
    if (thefts.has(proof.transaction)) {
      count('channel: key stolen, escrow refunded')
      return []
    }
    return events.flatMap((event) => {
      if (event.type !== 'refunded') return []
      const record = disk.channels.get(event.channelId)
      const state = block.contract.channels.get(event.channelId)
      if (record === undefined || state === undefined) return []
      const needed = record.charged + record.reserved
      const isCovered = needed <= state.balance
      // One that is mined again was judged when it was made: a deposit may have followed it since.
      const first = judged.get(proof.transaction) ?? block.hash
      judged.set(proof.transaction, first)
      const isAgain = first !== block.hash
      const isExcused =
        restored !== null || isAgain || hasWithdrawn(block, record.id) || wasShort(block, record)
      return isCovered || isExcused ? [] : [`${record.id}: a refund returned what was charged`]
    })
  }

  function hasWithdrawn({ logs }: SimBlock, id: Hex): boolean {
    return logs.some(({ events }) =>
      events.some((event) => event.type === 'withdrawn' && event.channelId === id),
    )
  }

  /** Before the block there was too little already, or a reorganization took a deposit. */
  function wasShort({ number }: SimBlock, { id, charged, reserved }: ChannelRecord): boolean {
    const before = chain.block(number - 1)?.contract.channels.get(id)
    return (before?.balance ?? 0n) < charged + reserved || hasLostDeposit(id)
  }

  function claimViolations({ events }: Log): readonly string[] {
    return events.flatMap((event) => {
      if (event.type !== 'claimed' || restored !== null) return []
      const charged = disk.channels.get(event.channelId)?.charged ?? 0n
      return event.total <= charged ? [] : [`${event.channelId}: more was claimed than charged`]
    })
  }

  /** While everything works, a withdrawal takes nothing that was charged before it was announced. */
  function withdrawalViolations(block: SimBlock, { events }: Log): readonly string[] {
    return events.flatMap((event) => {
      if (event.type !== 'withdrawn') return []
      count('channel: withdrawn')
      const record = disk.channels.get(event.channelId)
      const state = block.contract.channels.get(event.channelId)
      if (record === undefined || state === undefined) return []
      if (record.charged <= state.balance) return []
      count('channel: withdrawn before it was claimed')
      const isExcused = restored !== null || isPoisoned(record.id) || thefts.size > 0
      const wasFaulty = withdrawalBefore(block, record.id)?.isFaulty ?? true
      return isExcused || wasFaulty
        ? []
        : [`${record.id}: a withdrawal took ${record.charged - state.balance} that was charged`]
    })
  }

  const calmSince = { block: Number.POSITIVE_INFINITY }

  /** Whether faults continued when it was announced. */
  function withdrawalBefore(
    { number }: SimBlock,
    id: Hex,
  ): { readonly isFaulty: boolean } | undefined {
    const pending = chain.block(number - 1)?.contract.channels.get(id)?.withdrawal
    const calm = chain.block(calmSince.block)?.timestamp ?? Number.POSITIVE_INFINITY
    return pending ? { isFaulty: pending.since <= calm } : undefined
  }

  function differences(record: ChannelRecord): readonly string[] {
    const { id, status } = record
    const state = chain.head().contract.channels.get(id)
    if (state === undefined) return [`${id}: not on the chain`]
    const parts = differencesOf(record, state, depositsKnown(record))
    // A frozen channel is decided on by hand: its claims may be beyond the ledger. A nonce that was
    // used without moving anything left no log: a restored ledger learns of it at the next closing.
    const excused = [
      ...(status === 'frozen' ? ['claimed'] : []),
      ...(restored !== null ? ['refundN'] : []),
    ]
    return parts
      .filter((part) => !excused.some((name) => part.startsWith(name)))
      .map((part) => `${id}: ${part}`)
  }

  return {
    onTheft: (transaction) => void thefts.add(transaction),
    onRestore: () => {
      restored = chain.head()
    },
    maySeemWrong: (id) => restored !== null || isPoisoned(id),
    hasOtherDeposits: (id) => depositedOnChain(id) !== disk.channels.get(id)?.deposited,
    isAhead(id) {
      const record = id === null ? undefined : disk.channels.get(id)
      const { contract } = restored ?? chain.head()
      const claimed = id === null ? 0n : contract.channels.get(id)?.totalClaimed
      return record !== undefined && (claimed ?? 0n) > record.charged
    },
    isPublished: (voucher) =>
      chain.logs().some(({ call }) => {
        const steps = call.kind === 'channel' ? call.steps : []
        return steps
          .flatMap((step) => (step.type === 'claim' ? step.rows : []))
          .some(({ channelId, max }) => `${channelId}:${max}` === voucher)
      }),
    violations() {
      if (context.faults() === noFaults) {
        calmSince.block = Math.min(calmSince.block, chain.head().number + 1)
      }
      return newBlocks().flatMap((block) =>
        block.logs.flatMap((log) => [
          ...refundViolations(block, log),
          ...claimViolations(log),
          ...withdrawalViolations(block, log),
        ]),
      )
    },
    unfinished(record) {
      const { id, status } = record
      if (status === 'frozen') return differences(record)
      const { claimable } = channelAmounts(record)
      const open = [
        ...(status === 'closing' ? ['closing'] : []),
        ...(claimable > 0n ? [`${claimable} to claim`] : []),
      ]
      return [...open.map((what) => `${id}: ${what}`), ...differences(record)]
    },
    differences,
  }
}

function differencesOf(
  { deposited, returned, claimed, refundNonce, withdrawAt, config }: ChannelRecord,
  { balance, totalClaimed, refundNonce: nonce, withdrawal }: SimChannel,
  deposits: bigint,
): readonly string[] {
  const dueAt = withdrawal === null ? null : withdrawal.since + config.withdrawDelay
  const pairs: Readonly<Record<string, readonly [unknown, unknown]>> = {
    deposited: [deposited, deposits],
    returned: [returned, deposits - balance],
    claimed: [claimed, totalClaimed],
    refundNonce: [refundNonce, nonce],
    withdrawAt: [withdrawAt, dueAt],
  }
  return Object.entries(pairs).flatMap(([name, [ours, theirs]]) =>
    ours === theirs ? [] : [`${name} is ${String(ours)}, and on the chain ${String(theirs)}`],
  )
}
