import {
  createMemoryStore,
  type Hex,
  LedgerError,
  type LedgerStore,
  type PaymentRecord,
} from '@farebox/ledger'
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
import { hexOf, type Log, type SimBlock, type TokenCall } from './chain.ts'
import { collector } from './channels/channel-contract.ts'
import { withPlantedChannelBug, withPlantedCredit } from './channels/planted-bugs.ts'
import { call, type Liveness, type SimContext } from './sim-context.ts'

/** The store of one process on the shared disk: it fails before or after a commit, or is cut off. */
export function simulatedStore(context: SimContext, process: Liveness): LedgerStore {
  const store = withPlantedChannelBug(context, faultyStore(context, process))
  if (context.plantedBug === 'what was served is not recognized') {
    return {
      ...store,
      findByAuthorization: async (authorization) => {
        const payment = await store.findByAuthorization(authorization)
        return isServed(payment) ? undefined : payment
      },
    }
  }
  if (context.plantedBug !== 'leases and compare-and-set always succeed') return store
  return {
    ...store,
    lease: async (id, lease) => {
      const payment = await store.load(id)
      return payment === undefined ? undefined : { ...payment, lease }
    },
    apply: async (...write) => ({ ...(await store.apply(...write)), status: 'applied' }),
  }
}

function faultyStore(context: SimContext, process: Liveness): LedgerStore {
  return createMemoryStore({
    disk: context.disk,
    around: (operation) => {
      const { random } = context.world
      const fails = random.chance(context.faults().store)
      const isDone = random.chance(0.5)
      return call(context, process, () => {
        if (fails && !isDone) throw unavailable(context, 'store down before a write')
        const result = withPlantedCredit(context, operation)
        if (fails) throw unavailable(context, 'store down after a write')
        return result
      })
    },
  })
}

function isServed(payment: PaymentRecord | undefined): boolean {
  return payment !== undefined && ['serving', 'completed', 'failed'].includes(payment.status)
}

function unavailable(context: SimContext, what: string): LedgerError {
  context.count(what)
  return new LedgerError('store_unavailable', what)
}

/** A node that is sometimes silent or behind. */
export function simulatedReader(context: SimContext, process: Liveness): ChainReader {
  const { chain, world } = context
  const ask = <Result>(question: string, read: () => Result): Promise<Result> => {
    const isSilent = world.random.chance(context.faults().node)
    return call(context, process, () => {
      if (isSilent) {
        context.count('node silent')
        throw new ChainError(question)
      }
      return read()
    })
  }
  const view = (): SimBlock => {
    const behind = world.random.chance(context.faults().lag) ? world.random.whole(1, 2) : 0
    return chain.block(Math.max(0, chain.head().number - behind)) ?? chain.head()
  }
  return {
    head: () => ask('its head', view),
    authorizationUse: ({ from, nonce, hint }) =>
      ask('what became of a nonce', () => {
        const use = useIn(view(), chain.use(from, nonce))
        return use.status === 'unused' ? withPlantedBug(context, use, hint ?? null) : use
      }),
    confirmationsOf: (proof) =>
      ask('the confirmations of a block', () => {
        const known = chain.block(proof.block)
        return known?.hash === proof.blockHash ? chain.head().number - proof.block + 1 : 'gone'
      }),
    depositProof: ({ transfer, amount }) =>
      ask('a deposit', () => {
        const arrived = chain
          .logs()
          .some(
            ({ call: made, proof: known }) =>
              made.kind === 'transfer' &&
              made.to === collector &&
              made.value === amount &&
              known.transaction === transfer.transaction &&
              known.logIndex === transfer.logIndex,
          )
        return arrived ? transfer : null
      }),
    transfersOf: ({ address, toBlock }) =>
      ask('its transfers', () => {
        const last = Math.min(view().number, toBlock)
        return chain.logs().flatMap(({ call: made, proof }) => {
          if (made.kind !== 'transfer' || proof.block > last) return []
          const { from, to, nonce } = made
          const value = atomicUsdc(made.value)
          return from === address || to === address ? [{ from, to, value, nonce, proof }] : []
        })
      }),
    transactionOf: () => ask('a transaction', () => null),
    balanceOf: (_asset, address) => ask('a balance', () => atomicUsdc(chain.balance(address))),
    payerOf: (_asset, address) =>
      ask('a payer', () => ({ balance: atomicUsdc(chain.balance(address)), code: null })),
    nativeBalanceOf: () => ask('a balance', () => 10n ** 18n),
    tokenControls: () => ask('its controls', () => ({ isPaused: false, isBlocked: false })),
    hasCode: () => ask('a code', () => false),
    codeOf: () => ask('a code', () => null),
    gasPrice: () => ask('its gas price', () => 5_000_000n),
    acceptsSignature: () => ask('a signature', () => false),
  }
}

function useIn(head: SimBlock, log: Log<TokenCall> | undefined): AuthorizationUse {
  if (log === undefined || log.proof.block > head.number) return { status: 'unused', head }
  const { call: made, proof } = log
  return made.kind === 'cancel'
    ? { status: 'canceled' }
    : { status: 'transferred', to: made.to, value: atomicUsdc(made.value), proof }
}

function withPlantedBug(
  { plantedBug }: SimContext,
  use: Extract<AuthorizationUse, { status: 'unused' }>,
  hint: Hex | null,
): AuthorizationUse {
  const { head } = use
  if (plantedBug === 'an unused nonce is taken as expired') {
    return { status: 'unused', head: { ...head, timestamp: head.timestamp + 1_000 } }
  }
  if (plantedBug !== "the facilitator's response is taken as proof" || hint === null) return use
  const proof = { transaction: hint, block: head.number, blockHash: hint, logIndex: 0 }
  return { status: 'transferred', to: hexOf(0x7ea5, 20), value: atomicUsdc(10_000n), proof }
}

/** A facilitator that sends a transfer and waits for its block, unless it fails or lies. */
export function simulatedFacilitator(context: SimContext, process: Liveness): Facilitator {
  const { world, chain } = context
  const { random } = world
  return {
    name: 'simulated',
    async settle({ authorization }, signal) {
      const transfer: TokenCall = { kind: 'transfer', ...authorization }
      const lies = random.chance(context.faults().lie)
      const fails = random.chance(context.faults().facilitator)
      const sendLate = (): void => {
        context.count('settlement sent late')
        if (!context.reverting.has(authorization.from)) chain.broadcast([transfer])
      }
      const sent = await call(context, process, () => {
        const fault = chain.fault(transfer, Math.floor(world.now() / 1000))
        if (fault !== null && !lies) return fault
        if ((fails || lies) && random.chance(0.4)) {
          if (random.chance(0.5)) world.after(random.whole(2_000, 60_000), sendLate)
          return 'not sent'
        }
        context.count('settlement sent')
        return chain.broadcast(context.reverting.has(authorization.from) ? [] : [transfer])
      })
      if (lies) return lie(context)
      if (context.reverting.has(authorization.from) && typeof sent !== 'string') {
        context.count('settlement reverted')
        return { status: 'unknown', reason: 'reverted', transaction: sent.hash, reverted: true }
      }
      if (fails) return await failure(context, process, sent)
      if (sent === 'not sent') return unknown('timeout', null)
      if (typeof sent === 'string') return rejection(sent)
      return await whenMined(context, process, { transfer, hash: sent.hash, signal })
    },
  }
}

function unknown(reason: string, transaction: Hex | null): SettleOutcome {
  return { status: 'unknown', reason, transaction }
}

export function rejection(fault: string): SettleOutcome {
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

/** A false outcome, whether or not the transfer was sent. */
function lie(context: SimContext): SettleOutcome {
  context.count('facilitator lied')
  const { random } = context.world
  return random.chance(0.5)
    ? { status: 'settled', transaction: hexOf(random.whole(1, 2 ** 31), 32) }
    : {
        status: 'rejected',
        reason: random.pick(['insufficient_funds', 'invalid_exact_evm_signature']),
      }
}

async function failure(
  context: SimContext,
  process: Liveness,
  sent: string | { readonly hash: Hex },
): Promise<SettleOutcome> {
  context.count('facilitator failed')
  const { random } = context.world
  if (random.chance(0.3)) return await new Promise<never>(() => undefined)
  await call(context, process, () => undefined)
  if (random.chance(0.2)) throw new Error('the facilitator throws')
  const hash = typeof sent === 'string' || random.chance(0.5) ? null : sent.hash
  return unknown('http_502', hash)
}

type Awaited = { readonly transfer: TokenCall; readonly hash: Hex; readonly signal: AbortSignal }

async function whenMined(
  context: SimContext,
  process: Liveness,
  { transfer, hash, signal }: Awaited,
): Promise<SettleOutcome> {
  for (let polls = 0; polls < 10 && !signal.aborted; polls += 1) {
    await context.world.pause(1_000)
    if (!process.alive) return await new Promise<never>(() => undefined)
    const log = context.chain.use(transfer.from, transfer.nonce)
    if (log !== undefined) return { status: 'settled', transaction: log.proof.transaction }
  }
  return unknown('confirmation_timeout', hash)
}

/** Sends refunds, fails to, or sends them and loses the response. */
export function simulatedSender(context: SimContext, process: Liveness): RefundSender {
  const { chain, world } = context
  const { random } = world
  return {
    probe: (refund) =>
      call(context, process, () => {
        if (random.chance(context.faults().node))
          throw new ChainError('whether a refund would pass')
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
          case 'reverts':
            return { scope: 'payee', reason: 'reverts' }
        }
      }),
    send: async (batch) => {
      const fails = random.chance(context.faults().sender)
      const isSent = !fails || random.chance(0.5)
      const sent = await call(context, process, () => {
        if (!isSent) return null
        context.count('refund batch sent')
        return chain.broadcast(batch.map(refundCall)).hash
      })
      if (!fails && sent !== null) return { status: 'sent', transaction: sent }
      context.count('sending a refund failed')
      if (sent === null && random.chance(0.5)) {
        return { status: 'unavailable', reason: random.pick(['no_gas', 'rpc_down']) }
      }
      return { status: 'unknown', reason: 'timeout', transaction: random.chance(0.5) ? sent : null }
    },
    // Sometimes it is wrong about it.
    isMined: async (_transaction, timeoutMs) => {
      await world.pause(random.whole(0, timeoutMs))
      return await call(context, process, () => random.chance(0.8))
    },
  }
}

function refundCall(refund: SignedRefund): TokenCall {
  const { from, to, value, nonce, validBefore } = refund
  return { kind: 'transfer', from, to, value, nonce, validBefore }
}

/** Reports what it signs: a nonce must always stand for one amount to one payee. */
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
