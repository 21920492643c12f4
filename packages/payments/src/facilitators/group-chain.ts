import type { Hex } from '@farebox/ledger'
import { concat, type PublicClient, type TransactionReceipt } from 'viem'
import { decodeMulticall, encodeMulticall } from '../calls/multicall.ts'
import { transferCall } from '../calls/transfer-call.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import { readPayers } from '../chain/payer-reads.ts'
import { authorizationUsed, readLog, topicOf, transferOf } from '../chain/token-logs.ts'
import type { SettlementGas } from '../policy/payment-policy.ts'
import type { Preconfirmations } from '../relayer/preconfirmations.ts'
import type { TransactionCall } from '../relayer/transaction-call.ts'
import type { TransactionQueue } from '../relayer/transaction-queue.ts'
import { countOf } from '../rpc/count-of.ts'
import { type CallOutcome, callContract } from '../rpc/rpc-client.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'
import { notYetValid, revertMessageOf, revertReason } from './revert-reason.ts'
import type { MemberProbe, SettlementGroupPorts } from './settlement-groups.ts'

type GroupChainParts = {
  readonly client: PublicClient
  readonly queue: TransactionQueue
  readonly network: PaymentNetwork
  readonly settlementGas: SettlementGas
  readonly preconfirmations: Preconfirmations | undefined
}

/** Measured: below 53,000 per payment with USDC, and 17,000 more for the treasury's first. */
const gasPerPayment = 80_000n
const gasOfGroup = 60_000n
/** A transaction stays worth waiting for as long as its fee may still be raised. */
const maxWaitMs = 600_000

/** Sends groups of payments to the chain, and reads their outcomes. */
export function createGroupChain(
  parts: GroupChainParts,
): Pick<SettlementGroupPorts, 'probe' | 'send' | 'mined' | 'watch'> {
  const { client, queue, network, preconfirmations } = parts

  async function probe(payments: readonly SignedPayment[]): Promise<readonly MemberProbe[]> {
    if (payments.length === 1) {
      // If code decides about the signature, it gets no more gas than a key needs.
      const alone = await simulate(parts, payments)
      if (alone[0]?.status === 'passes') return alone
    }
    const payers = payments.map(({ authorization }) => authorization.from)
    const [reads, all] = await Promise.all([
      readPayers(client, network.usdc, payers),
      simulate(parts, payments),
    ])
    const keys = payments.filter((_, index) => reads[index]?.hasCode === false)
    // The code of one payer may have used up the gas of the others.
    const probes = keys.length === payments.length ? all : await simulate(parts, keys)
    const byPayment = new Map(keys.map((payment, index) => [payment, probes[index]]))
    return payments.map((payment) => byPayment.get(payment) ?? { status: 'has_code' })
  }

  return {
    probe,
    send: (payments) => queue.send(settlementCall(parts, payments)),
    async mined(transaction, payments) {
      const receipt = await queue.receiptOf(transaction, maxWaitMs)
      if (receipt === undefined) return undefined
      return {
        transaction: receipt.transactionHash,
        transferred: transferredIn(receipt, payments),
      }
    },
    ...(preconfirmations && {
      watch: (transaction, payments, onShown) =>
        preconfirmations.watch(transaction, (receipt) => {
          onShown({
            transaction: receipt.transactionHash,
            block: Number(receipt.blockNumber),
            transferred: transferredIn(receipt, payments),
          })
        }),
    }),
  }
}

/** One payment is a plain call of the token; several go through Multicall3. */
function settlementCall(
  { network, settlementGas }: GroupChainParts,
  payments: readonly SignedPayment[],
): TransactionCall & { readonly gas: bigint } {
  const calls = payments.map(callOf)
  const [only, ...others] = calls
  if (only !== undefined && others.length === 0) return { ...only, gas: settlementGas.key }
  const each = gasPerPayment < settlementGas.key ? gasPerPayment : settlementGas.key
  const gas = gasOfGroup + each * BigInt(payments.length)
  return { to: network.multicall3, data: encodeMulticall(calls), gas }
}

function callOf({ authorization, signature, mark = '0x' }: SignedPayment): {
  readonly to: Hex
  readonly data: Hex
} {
  const { to, data } = transferCall({ ...authorization, signature })
  return { to, data: concat([data, mark]) }
}

/** @throws {ChainError} when the node does not answer. */
async function simulate(
  parts: GroupChainParts,
  payments: readonly SignedPayment[],
): Promise<readonly MemberProbe[]> {
  const [only, ...others] = payments
  if (only === undefined) return []
  if (others.length === 0) return [await simulateOne(parts, only)]
  const outcome = await callAt('latest', parts, payments)
  if (outcome.status === 'reverted') {
    return await Promise.all(payments.map((payment) => simulateOne(parts, payment)))
  }
  return await Promise.all(
    decodeMulticall(outcome.data).map(
      async ({ success, returnData }, index): Promise<MemberProbe> => {
        if (success) return { status: 'passes' }
        const probe = failed(revertMessageOf(returnData))
        const payment = payments[index]
        return payment !== undefined && isEarly(probe) ? await simulateOne(parts, payment) : probe
      },
    ),
  )
}

/**
 * The latest block may be older than the authorization: a chain without traffic mines none. Not every
 * node simulates on the pending one.
 */
async function simulateOne(parts: GroupChainParts, payment: SignedPayment): Promise<MemberProbe> {
  const probe = probeOf(await callAt('latest', parts, [payment]))
  if (!isEarly(probe)) return probe
  const next = await callAt('pending', parts, [payment]).catch(() => undefined)
  return next === undefined ? probe : probeOf(next)
}

function callAt(
  block: 'latest' | 'pending',
  parts: GroupChainParts,
  payments: readonly SignedPayment[],
): Promise<CallOutcome> {
  const subject = `the simulation of ${countOf(payments.length, 'settlement')}`
  const call = { ...settlementCall(parts, payments), subject, from: parts.queue.relayer }
  return callContract(parts.client, { ...call, block })
}

function probeOf(outcome: CallOutcome): MemberProbe {
  return outcome.status === 'returned' ? { status: 'passes' } : failed(outcome.message)
}

function isEarly(probe: MemberProbe): boolean {
  return probe.status === 'fails' && probe.reason === notYetValid
}

function failed(message: string): MemberProbe {
  return { status: 'fails', reason: revertReason(message) }
}

/** The payments whose pair of logs is in the receipt: of the authorization and of its transfer. */
function transferredIn(
  receipt: TransactionReceipt,
  payments: readonly SignedPayment[],
): ReadonlySet<SignedPayment> {
  const logs = receipt.logs.flatMap((log) => readLog(log) ?? [])
  const used = new Map(
    logs
      .filter(({ topics }) => topics[0] === authorizationUsed)
      .map((log) => [`${log.address}${log.topics[1]}${log.topics[2]}`, log]),
  )
  return new Set(
    payments.filter(({ authorization: { asset, from, to, value, nonce } }) => {
      const log = used.get(`${asset}${topicOf(from)}${nonce}`)
      const paired = log && transferOf(log, logs)
      return paired?.to === to && paired.value === value
    }),
  )
}
