import type { Hex, TransferProof } from '@farebox/ledger'
import type { Random } from './random.ts'

/** One EIP-3009 call: a transfer by authorization, or its cancellation. */
export type Call =
  | {
      readonly kind: 'transfer'
      readonly from: Hex
      readonly to: Hex
      readonly value: bigint
      readonly nonce: Hex
      readonly validBefore: number
    }
  | { readonly kind: 'cancel'; readonly from: Hex; readonly nonce: Hex }

/** Calls that are sent together; each passes or fails alone. */
export type Transaction = { readonly hash: Hex; readonly calls: readonly Call[] }

/** A call that passed, where it lies on the canonical chain. */
export type Log = { readonly call: Call; readonly proof: TransferProof }

export type SimBlock = {
  readonly number: number
  readonly hash: Hex
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly transactions: readonly Transaction[]
  readonly logs: readonly Log[]
}

/** A chain with one token, whose blocks may be undone. */
export type SimChain = {
  head(): SimBlock
  block(number: number): SimBlock | undefined
  /** Who used a nonce, on the canonical chain. */
  use(from: Hex, nonce: Hex): Log | undefined
  balance(account: Hex): bigint
  /** Whether a block with that hash was ever mined, undone since or not. */
  wasMined(hash: Hex): boolean
  /** Every log of the canonical chain, in order. */
  logs(): readonly Log[]
  /** Waits for a block; a nonce that is used by then does nothing. */
  broadcast(calls: readonly Call[]): Transaction
  rebroadcast(transaction: Transaction): void
  /** Mines what waits, each transaction with this probability. */
  mine(options: { readonly timestamp: number; readonly inclusion: number }): SimBlock
  /** Undoes the last blocks; each of their transactions waits again with this probability. */
  reorganise(options: { readonly depth: number; readonly survival: number }): void
  setBlocked(account: Hex, isBlocked: boolean): void
  setPaused(isPaused: boolean): void
  /** Why a call would fail now; null when it would pass. */
  fault(call: Call, timestamp: number): CallFault | null
}

export type CallFault = 'used' | 'expired' | 'balance' | 'blocked' | 'paused'

export function hexOf(number: number, bytes: number): Hex {
  return `0x${number.toString(16).padStart(2 * bytes, '0')}`
}

export function createChain(random: Random, funds: ReadonlyMap<Hex, bigint>): SimChain {
  let blocks: SimBlock[] = [genesis()]
  let state = stateOf(blocks, funds)
  let waiting: Transaction[] = []
  let serial = 0
  let isPaused = false
  const blocked = new Set<Hex>()
  const mined = new Set<Hex>()

  const fault = (call: Call, timestamp: number): CallFault | null => {
    if (state.uses.has(keyOf(call))) return 'used'
    if (call.kind === 'cancel') return null
    if (isPaused) return 'paused'
    if (blocked.has(call.to) || blocked.has(call.from)) return 'blocked'
    if (call.validBefore <= timestamp) return 'expired'
    return (state.balances.get(call.from) ?? 0n) < call.value ? 'balance' : null
  }
  const head = (): SimBlock => blocks.at(-1) ?? genesis()
  const nextHash = (): Hex => {
    serial += 1
    return hexOf(serial, 32)
  }

  const mineBlock = (timestamp: number, chosen: readonly Transaction[]): SimBlock => {
    const [number, hash] = [head().number + 1, nextHash()]
    const logs: Log[] = []
    for (const transaction of chosen) {
      for (const call of transaction.calls) {
        if (fault(call, timestamp) !== null) continue
        const proof = {
          transaction: transaction.hash,
          block: number,
          blockHash: hash,
          logIndex: logs.length,
        }
        const log = { call, proof }
        logs.push(log)
        book(state, log)
      }
    }
    const block = { number, hash, timestamp, transactions: chosen, logs }
    blocks.push(block)
    mined.add(hash)
    return block
  }

  return {
    head,
    block: (number) => blocks[number],
    use: (from, nonce) => state.uses.get(`${from}:${nonce}`),
    balance: (account) => state.balances.get(account) ?? 0n,
    wasMined: (hash) => mined.has(hash),
    logs: () => blocks.flatMap(({ logs }) => logs),
    broadcast(calls) {
      const transaction = { hash: nextHash(), calls }
      waiting.push(transaction)
      return transaction
    },
    rebroadcast: (transaction) => void waiting.push(transaction),
    mine({ timestamp, inclusion }) {
      const chosen = waiting.filter(() => random.chance(inclusion))
      waiting = waiting.filter((transaction) => !chosen.includes(transaction))
      return mineBlock(Math.max(timestamp, head().timestamp + 1), chosen)
    },
    reorganise({ depth, survival }) {
      const kept = Math.max(1, blocks.length - depth)
      const undone = blocks.slice(kept).flatMap(({ transactions }) => transactions)
      blocks = blocks.slice(0, kept)
      state = stateOf(blocks, funds)
      waiting = [...undone.filter(() => random.chance(survival)), ...waiting]
    },
    setBlocked(account, isBlocked) {
      if (isBlocked) blocked.add(account)
      else blocked.delete(account)
    },
    setPaused(next) {
      isPaused = next
    },
    fault,
  }
}

type State = { readonly balances: Map<Hex, bigint>; readonly uses: Map<string, Log> }

function stateOf(blocks: readonly SimBlock[], funds: ReadonlyMap<Hex, bigint>): State {
  const state: State = { balances: new Map(funds), uses: new Map() }
  for (const { logs } of blocks) for (const log of logs) book(state, log)
  return state
}

function book({ balances, uses }: State, log: Log): void {
  const { call } = log
  uses.set(keyOf(call), log)
  if (call.kind === 'cancel') return
  balances.set(call.from, (balances.get(call.from) ?? 0n) - call.value)
  balances.set(call.to, (balances.get(call.to) ?? 0n) + call.value)
}

function keyOf({ from, nonce }: Call): string {
  return `${from}:${nonce}`
}

function genesis(): SimBlock {
  return { number: 0, hash: hexOf(0, 32), timestamp: 1_699_999_990, transactions: [], logs: [] }
}
