import type { Hex, TransferProof } from '@farebox/ledger'
import type { ChannelLog } from '../../src/channel-chain/channel-log.ts'
import {
  type ChannelStep,
  type ContractState,
  type ContractWorld,
  collector,
  type Execution,
  emptyContract,
  execute,
  type SimChannel,
  type TokenMove,
} from './channels/channel-contract.ts'
import type { Random } from './random.ts'

/** One EIP-3009 call: a transfer by authorization, or its cancellation. */
export type TokenCall =
  | {
      readonly kind: 'transfer'
      readonly from: Hex
      readonly to: Hex
      readonly value: bigint
      readonly nonce: Hex
      readonly validBefore: number
    }
  | { readonly kind: 'cancel'; readonly from: Hex; readonly nonce: Hex }

/** A call of the contract of payment channels: all its steps pass, or none. */
export type ChannelCall = { readonly kind: 'channel'; readonly steps: readonly ChannelStep[] }

export type Call = TokenCall | ChannelCall

/** Calls that are sent together; each passes or fails alone. */
export type Transaction = { readonly hash: Hex; readonly calls: readonly Call[] }

/** A call that passed, where it lies on the canonical chain. */
export type Log<Of extends Call = Call> = {
  readonly call: Of
  readonly proof: TransferProof
  /** What the contract of payment channels logged. A deposit has the place of its transfer. */
  readonly events: readonly ChannelLog[]
  /** The token that the contract moved. */
  readonly moves: readonly TokenMove[]
}

export type SimBlock = {
  readonly number: number
  readonly hash: Hex
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly transactions: readonly Transaction[]
  readonly logs: readonly Log[]
  /** After it. */
  readonly contract: ContractState
}

/** What the contract of payment channels knows from the start. */
export type ChainChannels = Omit<ContractWorld, 'timestamp' | 'canMove'> & {
  readonly channels: readonly SimChannel[]
}

/** A chain with one token, whose blocks may be undone. */
export type SimChain = {
  head(): SimBlock
  block(number: number): SimBlock | undefined
  /** Who used a nonce, on the canonical chain. */
  use(from: Hex, nonce: Hex): Log<TokenCall> | undefined
  balance(account: Hex): bigint
  /** Whether a block with that hash was ever mined, undone since or not. */
  wasMined(hash: Hex): boolean
  /** Every event of the contract of channels that was ever mined, undone since or not. */
  everLogged(proof: TransferProof): ChannelLog | undefined
  /** Every log of the canonical chain, in order. */
  logs(): readonly Log[]
  /** Waits for a block; a nonce that is used by then does nothing. */
  broadcast(calls: readonly Call[]): Transaction
  rebroadcast(transaction: Transaction): void
  /** The calls of a transaction that waits for a block. */
  waitingCalls(hash: Hex): readonly Call[]
  /** No block will hold a transaction that waits. */
  drop(hash: Hex): void
  /** Mines what waits, each transaction with this probability. */
  mine(options: { readonly timestamp: number; readonly inclusion: number }): SimBlock
  /** Undoes the last blocks; each of their transactions waits again with this probability. */
  reorganize(options: { readonly depth: number; readonly survival: number }): void
  setBlocked(account: Hex, isBlocked: boolean): void
  setPaused(isPaused: boolean): void
  /** Why a call would fail now; null when it would pass. */
  fault(call: Call, timestamp: number): CallFault | null
}

export type CallFault = 'used' | 'expired' | 'balance' | 'blocked' | 'paused' | 'reverts'

export function hexOf(number: number, bytes: number): Hex {
  return `0x${number.toString(16).padStart(2 * bytes, '0')}`
}

const noChannels: ChainChannels = {
  channels: [],
  isVoucher: () => false,
  isAuthorized: () => false,
}

export function createChain(
  random: Random,
  funds: ReadonlyMap<Hex, bigint>,
  channels: ChainChannels = noChannels,
): SimChain {
  const byPayer = new Map(
    channels.channels.map(({ channelId, config }) => [config.payer, channelId]),
  )
  const first = genesis(channels)
  let blocks: SimBlock[] = [first]
  let state = stateOf(blocks, funds)
  /** Of all blocks, until one is added or undone. */
  let allLogs: readonly Log[] | undefined
  let waiting: Transaction[] = []
  let serial = 0
  let isPaused = false
  const blocked = new Set<Hex>()
  const mined = new Set<Hex>()
  const everLogged = new Map<string, ChannelLog>()

  /** What a call does to the contract of channels; undefined if it would revert. */
  const onContract = (
    contract: ContractState,
    call: Call,
    timestamp: number,
  ): Execution | undefined => {
    const steps = stepsOf(call, byPayer)
    if (steps.length === 0) return { state: contract, events: [], moves: [] }
    const canMove = ({ from, to }: TokenMove): boolean =>
      !isPaused && !blocked.has(from) && !blocked.has(to)
    return execute(contract, steps, { ...channels, timestamp, canMove })
  }
  const fault = (call: Call, timestamp: number): CallFault | null => {
    if (call.kind === 'channel') {
      return onContract(head().contract, call, timestamp) === undefined ? 'reverts' : null
    }
    if (state.uses.has(keyOf(call))) return 'used'
    if (call.kind === 'cancel') return null
    if (isPaused) return 'paused'
    if (blocked.has(call.to) || blocked.has(call.from)) return 'blocked'
    if (call.validBefore <= timestamp) return 'expired'
    return (state.balances.get(call.from) ?? 0n) < call.value ? 'balance' : null
  }
  const head = (): SimBlock => blocks.at(-1) ?? first
  const nextHash = (): Hex => {
    serial += 1
    return hexOf(serial, 32)
  }

  const mineBlock = (timestamp: number, chosen: readonly Transaction[]): SimBlock => {
    const [number, hash] = [head().number + 1, nextHash()]
    const logs: Log[] = []
    let { contract } = head()
    let logIndex = 0
    for (const transaction of chosen) {
      const place = { transaction: transaction.hash, block: number, blockHash: hash }
      for (const call of transaction.calls) {
        const isToken = call.kind !== 'channel'
        if (isToken && fault(call, timestamp) !== null) continue
        const execution = onContract(contract, call, timestamp)
        if (execution === undefined) continue
        contract = execution.state
        const first = logIndex
        const events = execution.events.map((event, at) => {
          return { ...event, proof: { ...place, logIndex: first + at } }
        })
        logIndex += Math.max(1, events.length)
        for (const event of events) everLogged.set(placeOf(event.proof), event)
        const log = {
          call,
          proof: { ...place, logIndex: logIndex - 1 },
          events,
          moves: execution.moves,
        }
        logs.push(log)
        book(state, log)
      }
    }
    const block = { number, hash, timestamp, transactions: chosen, logs, contract }
    blocks.push(block)
    allLogs = undefined
    mined.add(hash)
    return block
  }

  return {
    head,
    block: (number) => blocks[number],
    use: (from, nonce) => state.uses.get(`${from}:${nonce}`),
    balance: (account) => state.balances.get(account) ?? 0n,
    wasMined: (hash) => mined.has(hash),
    everLogged: (proof) => everLogged.get(placeOf(proof)),
    logs: () => (allLogs ??= blocks.flatMap(({ logs }) => logs)),
    broadcast(calls) {
      const transaction = { hash: nextHash(), calls }
      waiting.push(transaction)
      return transaction
    },
    rebroadcast(transaction) {
      if (!waiting.includes(transaction)) waiting.push(transaction)
    },
    waitingCalls: (hash) => waiting.find((transaction) => transaction.hash === hash)?.calls ?? [],
    drop(hash) {
      waiting = waiting.filter((transaction) => transaction.hash !== hash)
    },
    mine({ timestamp, inclusion }) {
      const chosen = waiting.filter(() => random.chance(inclusion))
      waiting = waiting.filter((transaction) => !chosen.includes(transaction))
      return mineBlock(Math.max(timestamp, head().timestamp + 1), chosen)
    },
    reorganize({ depth, survival }) {
      const kept = Math.max(1, blocks.length - depth)
      const undone = blocks.slice(kept).flatMap(({ transactions }) => transactions)
      blocks = blocks.slice(0, kept)
      allLogs = undefined
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

type State = { readonly balances: Map<Hex, bigint>; readonly uses: Map<string, Log<TokenCall>> }

function stateOf(blocks: readonly SimBlock[], funds: ReadonlyMap<Hex, bigint>): State {
  const state: State = { balances: new Map(funds), uses: new Map() }
  for (const { logs } of blocks) for (const log of logs) book(state, log)
  return state
}

function book({ balances, uses }: State, log: Log): void {
  const { call, moves } = log
  if (call.kind !== 'channel') uses.set(keyOf(call), { ...log, call })
  for (const { from, to, value } of call.kind === 'transfer' ? [call, ...moves] : moves) {
    balances.set(from, (balances.get(from) ?? 0n) - value)
    balances.set(to, (balances.get(to) ?? 0n) + value)
  }
}

function keyOf({ from, nonce }: TokenCall): string {
  return `${from}:${nonce}`
}

function placeOf({ transaction, blockHash, logIndex }: TransferProof): string {
  return `${transaction}:${blockHash}:${logIndex}`
}

/** A transfer to the collector is part of a deposit. */
function stepsOf(call: Call, byPayer: ReadonlyMap<Hex, Hex>): readonly ChannelStep[] {
  switch (call.kind) {
    case 'channel':
      return call.steps
    case 'cancel':
      return []
    case 'transfer': {
      const channelId = byPayer.get(call.from)
      const isDeposit = call.to === collector && channelId !== undefined
      return isDeposit ? [{ type: 'deposit', channelId, amount: call.value }] : []
    }
  }
}

function genesis({ channels }: ChainChannels): SimBlock {
  const known = new Map(channels.map((channel) => [channel.channelId, channel]))
  return {
    number: 0,
    hash: hexOf(0, 32),
    timestamp: 1_699_999_990,
    transactions: [],
    logs: [],
    contract: { ...emptyContract, channels: known },
  }
}
