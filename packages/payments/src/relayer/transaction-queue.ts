import type { Hex } from '@farebox/ledger'
import { least } from '@farebox/money'
import type { TransactionReceipt } from 'viem'
import type { PaymentNetwork } from '../chain/network.ts'
import { createRpcClient, nodeError, type RpcOptions, revertMessage } from '../rpc/rpc-client.ts'
import { createOneAtATime } from '../scheduling/one-at-a-time.ts'
import { createKeySigner } from '../signature/key-signer.ts'
import { SigningError } from '../signature/signing-error.ts'
import type { SigningKey } from '../signature/signing-key.ts'
import { broadcast } from './broadcast.ts'
import { createFeeSource, type GasFees } from './gas-fees.ts'
import { createNonceSource, type NonceGuess } from './nonce-source.ts'
import { createPendingTransactions } from './pending-transactions.ts'
import type { Preconfirmations } from './preconfirmations.ts'
import { type SignTransaction, signerFor } from './sign-transaction.ts'
import { type QueueParts, trackTransactions } from './track-transactions.ts'
import type { QueueNotice, QueueOutcome, TransactionCall } from './transaction-call.ts'

export type TransactionQueueOptions = RpcOptions & {
  readonly network: PaymentNetwork
  /** The relayer's key, whose account only holds ETH for gas. */
  readonly key: SigningKey
  /** The highest fee per unit of gas, in wei. 100 gwei by default. */
  readonly maxFeePerGas?: bigint
  /** The most gas that one transaction may use. 10 million by default: some hundred refunds. */
  readonly maxGas?: bigint
  /** How often the chain is polled while transactions are pending. */
  readonly pollMs?: number
  /**
   * How long a transaction may stay unmined before it is sent again at a higher fee. 15 seconds by
   * default.
   */
  readonly stuckAfterMs?: number
  readonly notify?: (notice: QueueNotice) => void
  readonly clock?: () => number
  /** Is shown what is preconfirmed, which then does not count as mined. */
  readonly preconfirmations?: Preconfirmations | undefined
}

/**
 * Sends the relayer's transactions. Gas is estimated before a nonce is taken, so that a call that
 * reverts never leaves a gap; nonce, signature and broadcast happen under one lock; the hash is known
 * before the transaction is broadcast; a nonce whose outcome is unclear is kept and its bytes are sent
 * again. Another process with the same key costs time, but never a transaction.
 */
export type TransactionQueue = {
  readonly relayer: Hex
  /** Never throws. A call equal to one that is still pending is the same transaction. */
  send(call: TransactionCall): Promise<QueueOutcome>
  /** The receipt of a transaction or of its replacement; undefined after `timeoutMs`. */
  receiptOf(transaction: Hex, timeoutMs: number): Promise<TransactionReceipt | undefined>
  /** How many transactions are pending. */
  waiting(): number
  /** Stops polling. What was sent stays sent. */
  close(): void
}

const defaultCap = 100_000_000_000n
const defaultMaxGas = 10_000_000n

export function createTransactionQueue(options: TransactionQueueOptions): TransactionQueue {
  const client = createRpcClient(options)
  const signer = createKeySigner(options.key)
  if (signer === undefined) throw new RelayerKeyError()
  const clock = options.clock ?? Date.now
  const cap = options.maxFeePerGas ?? defaultCap
  const pending = createPendingTransactions(clock)
  const oneAtATime = createOneAtATime<Hex>()
  const parts: QueueParts = {
    client,
    relayer: signer.address,
    clock,
    cap,
    maxGas: options.maxGas ?? defaultMaxGas,
    fees: createFeeSource(client, { cap, clock }),
    sign: signerFor(signer, options.network.chainId),
    pending,
    nonces: createNonceSource(client, signer.address, pending),
    serial: async (task) => await oneAtATime(signer.address, task),
    notify: options.notify ?? (() => undefined),
    preconfirmations: options.preconfirmations,
  }
  const tracker = trackTransactions(parts, {
    pollMs: options.pollMs ?? (options.network.name === 'devnet' ? 4 : 300),
    stuckAfterMs: options.stuckAfterMs ?? 15_000,
    resend: (call) => enqueue(parts, call),
  })
  const estimating = new Map<string, Promise<QueueOutcome>>()

  async function send(call: TransactionCall): Promise<QueueOutcome> {
    const key = keyOf(call)
    const waiting = parts.pending.find((entry) => keyOf(entry.call) === key)
    if (waiting !== undefined) return { status: 'sent', transaction: waiting.transaction }
    const known = estimating.get(key)
    if (known !== undefined) return await known
    const sending = enqueue(parts, call).finally(() => estimating.delete(key))
    estimating.set(key, sending)
    const outcome = await sending
    tracker.wake()
    return outcome
  }

  return {
    relayer: signer.address,
    send,
    receiptOf: (transaction, timeoutMs) => tracker.receiptOf(transaction, timeoutMs),
    waiting: () => parts.pending.size(),
    close: tracker.close,
  }
}

function keyOf({ to, data }: TransactionCall): string {
  return `${to}${data}`
}

/** Estimates gas outside the lock, then takes a nonce and sends inside it. */
async function enqueue(parts: QueueParts, call: TransactionCall): Promise<QueueOutcome> {
  // Requested now, they are ready when the lock is.
  parts.fees().catch(() => undefined)
  const guess = parts.nonces.prefetch()
  const gas = call.gas ?? (await estimate(parts, call))
  if (typeof gas !== 'bigint') return gas
  if (gas > parts.maxGas) return needsTooMuch(parts.maxGas)
  return await parts.serial(() => sendNow(parts, { ...call, gas }, guess))
}

async function estimate(parts: QueueParts, call: TransactionCall): Promise<bigint | QueueOutcome> {
  const { client, relayer } = parts
  const limit = least(call.gasLimit ?? parts.maxGas, parts.maxGas)
  try {
    const gas = await client.estimateGas({ account: relayer, to: call.to, data: call.data })
    return gas > limit ? needsTooMuch(limit) : least(gas + gas / 5n, limit)
  } catch (error) {
    if (exceedsAllowance(error)) return needsTooMuch(limit)
    const message = revertMessage(error)
    if (message !== undefined) return { status: 'reverts', message }
    if (!/insufficient funds/i.test(nodeError(error)?.message ?? '')) {
      return { status: 'unavailable', reason: 'rpc_down' }
    }
    return { status: 'unavailable', reason: 'no_gas' }
  }
}

function needsTooMuch(limit: bigint): QueueOutcome {
  return { status: 'reverts', message: `The call needs more than ${limit} gas` }
}

/** Without a fee in the question, the node's own limit is all that an estimate can exceed. */
function exceedsAllowance(error: unknown): boolean {
  return /gas required exceeds allowance/i.test(nodeError(error)?.message ?? '')
}

/** How often a nonce that another process took is exchanged for the next. */
const nonceAttempts = 20

async function sendNow(
  parts: QueueParts,
  call: TransactionCall & { readonly gas: bigint },
  guess: NonceGuess | undefined,
): Promise<QueueOutcome> {
  const { client, pending, clock } = parts
  for (let attempt = 0; attempt < nonceAttempts; attempt += 1) {
    const ready = await prepare(parts, guess)
    if ('status' in ready) return ready
    const { nonce, fees } = ready
    const signed = await sign(parts, { call, gas: call.gas, nonce, fees })
    if ('status' in signed) return signed
    const { raw, transaction } = signed
    const entry = { nonce, call, gas: call.gas, fees, raw, transaction, sentAt: clock() }
    pending.add(entry)
    const outcome = await broadcast(client, raw)
    switch (outcome.status) {
      case 'accepted':
        return { status: 'sent', transaction }
      case 'unclear':
        pending.change(nonce, { unclear: true })
        return { status: 'unknown', transaction, reason: outcome.reason }
      case 'no_gas':
        pending.release(nonce)
        return { status: 'unavailable', reason: 'no_gas' }
      case 'underpriced':
        pending.release(nonce)
        break
      case 'refused':
        pending.release(nonce)
        return { status: 'reverts', message: `No block has room for ${call.gas} gas` }
      case 'nonce_taken':
        parts.notify({ type: 'nonce_conflict', nonce })
        pending.yieldNonce(nonce, await parts.nonces.after(nonce))
        break
      case 'gap':
        pending.release(nonce)
        await rebroadcastAll(parts)
        break
    }
  }
  return { status: 'unavailable', reason: 'rpc_down' }
}

type Unavailable = Extract<QueueOutcome, { readonly status: 'unavailable' }>

/** A transaction that is not signed was not sent, so its nonce is free. */
async function sign(
  parts: QueueParts,
  unsigned: Parameters<SignTransaction>[0],
): Promise<Awaited<ReturnType<SignTransaction>> | Unavailable> {
  try {
    return await parts.sign(unsigned)
  } catch (error) {
    if (!(error instanceof SigningError)) throw error
    return { status: 'unavailable', reason: 'signer_down' }
  }
}

async function prepare(
  parts: QueueParts,
  guess: NonceGuess | undefined,
): Promise<{ readonly nonce: number; readonly fees: GasFees } | Unavailable> {
  try {
    const fees = await parts.fees().catch(parts.fees)
    if (fees === 'fee_cap') return { status: 'unavailable', reason: 'fee_cap' }
    return { nonce: await parts.nonces.next(guess), fees }
  } catch {
    return { status: 'unavailable', reason: 'rpc_down' }
  }
}

async function rebroadcastAll({ client, pending }: QueueParts): Promise<void> {
  for (const entry of pending.inOrder()) await broadcast(client, entry.raw)
}

/** The relayer cannot sign. */
export class RelayerKeyError extends Error {
  override readonly name = 'RelayerKeyError'
  readonly code = 'invalid_key'
  constructor() {
    super("The relayer's key is not a secp256k1 private key")
  }
}
