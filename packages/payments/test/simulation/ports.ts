import { createMemoryStore, type Hex, LedgerError, type LedgerStore } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import {
  type AuthorizationUse,
  ChainError,
  type ChainReader,
  type Facilitator,
  type RefundSender,
  type RefundSigner,
  type SettleOutcome,
  type SignedRefund,
} from '@farebox/payments/chain'
import { type Arena, call, type Liveness } from './arena.ts'
import { type Call, hexOf, type Log, type SimBlock } from './chain.ts'

/** The store of one process on the disk of all: it fails before or after a commit, or is cut off. */
export function simulatedStore(arena: Arena, process: Liveness): LedgerStore {
  const store = faultyStore(arena, process)
  if (arena.sabotage !== 'leases and compare-and-set let everybody through') return store
  return {
    ...store,
    lease: async (id, lease) => {
      const payment = await store.load(id)
      return payment === undefined ? undefined : { ...payment, lease }
    },
    apply: async (...write) => ({ ...(await store.apply(...write)), status: 'applied' }),
  }
}

function faultyStore(arena: Arena, process: Liveness): LedgerStore {
  return createMemoryStore({
    disk: arena.disk,
    around: (operation) => {
      const { random } = arena.world
      const fails = random.chance(arena.faults().store)
      const isDone = random.chance(0.5)
      return call(arena, process, () => {
        if (fails && !isDone) throw unavailable(arena, 'store down before a write')
        const result = operation()
        if (fails) throw unavailable(arena, 'store down after a write')
        return result
      })
    },
  })
}

function unavailable(arena: Arena, what: string): LedgerError {
  arena.count(what)
  return new LedgerError('store_unavailable', what)
}

/** A node that is silent at times, or behind. */
export function simulatedReader(arena: Arena, process: Liveness): ChainReader {
  const { chain, world } = arena
  const ask = <Answer>(question: string, answer: () => Answer): Promise<Answer> => {
    const isSilent = world.random.chance(arena.faults().node)
    return call(arena, process, () => {
      if (isSilent) {
        arena.count('node silent')
        throw new ChainError(question)
      }
      return answer()
    })
  }
  const view = (): SimBlock => {
    const behind = world.random.chance(arena.faults().lag) ? world.random.whole(1, 2) : 0
    return chain.block(Math.max(0, chain.head().number - behind)) ?? chain.head()
  }
  return {
    head: () => ask('its head', view),
    authorizationUse: ({ from, nonce, hint }) =>
      ask('what became of a nonce', () => {
        const use = useIn(view(), chain.use(from, nonce))
        return use.status === 'unused' ? sabotaged(arena, use, hint ?? null) : use
      }),
    confirmationsOf: (proof) =>
      ask('the confirmations of a block', () => {
        const known = chain.block(proof.block)
        return known?.hash === proof.blockHash ? chain.head().number - proof.block + 1 : 'gone'
      }),
    transfersOf: () => ask('its transfers', () => []),
    balanceOf: (_asset, address) => ask('a balance', () => atomicUsdc(chain.balance(address))),
    nativeBalanceOf: () => ask('a balance', () => 10n ** 18n),
    hasCode: () => ask('a code', () => false),
    gasPrice: () => ask('its gas price', () => 5_000_000n),
    acceptsSignature: () => ask('a signature', () => false),
  }
}

function useIn(head: SimBlock, log: Log | undefined): AuthorizationUse {
  if (log === undefined || log.proof.block > head.number) return { status: 'unused', head }
  const { call: made, proof } = log
  return made.kind === 'cancel'
    ? { status: 'canceled' }
    : { status: 'transferred', to: made.to, value: atomicUsdc(made.value), proof }
}

function sabotaged(
  { sabotage }: Arena,
  use: Extract<AuthorizationUse, { status: 'unused' }>,
  hint: Hex | null,
): AuthorizationUse {
  const { head } = use
  if (sabotage === 'silence is taken for a refusal') {
    return { status: 'unused', head: { ...head, timestamp: head.timestamp + 1_000 } }
  }
  if (sabotage !== "the facilitator's word is proof" || hint === null) return use
  const proof = { transaction: hint, block: head.number, blockHash: hint, logIndex: 0 }
  return { status: 'transferred', to: hexOf(0x7ea5, 20), value: atomicUsdc(10_000n), proof }
}

/** A facilitator that sends and waits for a block, if it does, and says so, if it is true. */
export function simulatedFacilitator(arena: Arena, process: Liveness): Facilitator {
  const { world, chain } = arena
  const { random } = world
  return {
    name: 'simulated',
    async settle({ authorization }, signal) {
      const transfer: Call = { kind: 'transfer', ...authorization }
      const lies = random.chance(arena.faults().lie)
      const fails = random.chance(arena.faults().facilitator)
      const sendLate = (): void => {
        arena.count('settlement sent late')
        chain.broadcast([transfer])
      }
      const sent = await call(arena, process, () => {
        const fault = chain.fault(transfer, Math.floor(world.now() / 1000))
        if (fault !== null && !lies) return fault
        if ((fails || lies) && random.chance(0.4)) {
          if (random.chance(0.5)) world.after(random.whole(2_000, 60_000), sendLate)
          return 'not sent'
        }
        arena.count('settlement sent')
        return chain.broadcast([transfer])
      })
      if (lies) return lie(arena)
      if (fails) return await failure(arena, process, sent)
      if (sent === 'not sent') return unknown('timeout', null)
      if (typeof sent === 'string') return refusal(sent)
      return await whenMined(arena, process, { transfer, hash: sent.hash, signal })
    },
  }
}

function unknown(reason: string, transaction: Hex | null): SettleOutcome {
  return { status: 'unknown', reason, transaction }
}

function refusal(fault: string): SettleOutcome {
  switch (fault) {
    case 'balance':
      return { status: 'rejected', reason: 'insufficient_funds' }
    case 'used':
      return { status: 'rejected', reason: 'invalid_exact_evm_nonce_already_used' }
    case 'expired':
      return { status: 'rejected', reason: 'invalid_exact_evm_payload_authorization_valid_before' }
    default:
      return unknown('simulation_failed', null)
  }
}

/** It may have sent or not; either way it says what is wrong. */
function lie(arena: Arena): SettleOutcome {
  arena.count('facilitator lied')
  const { random } = arena.world
  return random.chance(0.5)
    ? { status: 'settled', transaction: hexOf(random.whole(1, 2 ** 31), 32) }
    : {
        status: 'rejected',
        reason: random.pick(['insufficient_funds', 'invalid_exact_evm_signature']),
      }
}

async function failure(
  arena: Arena,
  process: Liveness,
  sent: string | { readonly hash: Hex },
): Promise<SettleOutcome> {
  arena.count('facilitator failed')
  const { random } = arena.world
  if (random.chance(0.3)) return await new Promise<never>(() => undefined)
  await call(arena, process, () => undefined)
  if (random.chance(0.2)) throw new Error('the facilitator breaks its promise')
  const hash = typeof sent === 'string' || random.chance(0.5) ? null : sent.hash
  return unknown('http_502', hash)
}

type Awaited = { readonly transfer: Call; readonly hash: Hex; readonly signal: AbortSignal }

async function whenMined(
  arena: Arena,
  process: Liveness,
  { transfer, hash, signal }: Awaited,
): Promise<SettleOutcome> {
  for (let polls = 0; polls < 10 && !signal.aborted; polls += 1) {
    await arena.world.pause(1_000)
    if (!process.alive) return await new Promise<never>(() => undefined)
    const log = arena.chain.use(transfer.from, transfer.nonce)
    if (log !== undefined) return { status: 'settled', transaction: log.proof.transaction }
  }
  return unknown('confirmation_timeout', hash)
}

/** Sends refunds, or fails to, or does and does not hear of it. */
export function simulatedSender(arena: Arena, process: Liveness): RefundSender {
  const { chain, world } = arena
  const { random } = world
  return {
    probe: (refund) =>
      call(arena, process, () => {
        if (random.chance(arena.faults().node)) throw new ChainError('whether a refund would pass')
        const fault = chain.fault(refundCall(refund), Math.floor(world.now() / 1000))
        switch (fault) {
          case null:
            return null
          case 'paused':
            return { scope: 'system', reason: 'token_paused' }
          case 'balance':
            return { scope: 'system', reason: 'treasury_empty' }
          case 'blocked':
            return { scope: 'payee', reason: 'blacklisted_payee' }
          case 'used':
          case 'expired':
            return { scope: 'payee', reason: 'reverts' }
        }
      }),
    send: async (batch) => {
      const fails = random.chance(arena.faults().sender)
      const isSent = !fails || random.chance(0.5)
      const sent = await call(arena, process, () => {
        if (!isSent) return null
        arena.count('refund batch sent')
        return chain.broadcast(batch.map(refundCall)).hash
      })
      if (!fails && sent !== null) return { status: 'sent', transaction: sent }
      arena.count('sending a refund failed')
      if (sent === null && random.chance(0.5)) {
        return { status: 'unavailable', reason: random.pick(['no_gas', 'rpc_down']) }
      }
      return { status: 'unknown', reason: 'timeout', transaction: random.chance(0.5) ? sent : null }
    },
  }
}

function refundCall(refund: SignedRefund): Call {
  const { from, to, value, nonce, validBefore } = refund
  return { kind: 'transfer', from, to, value, nonce, validBefore }
}

/** Remembers what it signed: one nonce must always mean one amount to one payee. */
export function simulatedSigner(
  treasury: Hex,
  onSigned: (refund: Omit<SignedRefund, 'signature'>) => void,
): RefundSigner {
  return {
    treasury,
    sign: async (refund) => {
      onSigned(refund)
      return `0x${'5'.repeat(130)}`
    },
  }
}
