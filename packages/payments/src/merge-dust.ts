import type { Accrual, Hex, PaymentRecord } from '@farebox/ledger'
import type { AuthorizationUse } from './chain.ts'
import { mergedRefundNonce } from './refund-nonce.ts'
import { advancePayout, type RefundPorts } from './refund-ports.ts'
import { type depthsOfRound, watchSettlement } from './watch-settlement.ts'

type DepthOf = ReturnType<typeof depthsOfRound>

const payersPerRound = 1_000

/** Gives small refunds of one payer a transfer together, when they are worth its gas or have waited. */
export async function mergeDust(ports: RefundPorts, depthOf: DepthOf): Promise<number> {
  let merged = 0
  for (const accrual of await ports.store.accruals(payersPerRound)) {
    if (!isDue(ports, accrual.payments)) continue
    try {
      const deep = await deepPayments(ports, accrual.payments, depthOf)
      if (isDue(ports, deep)) merged += await mergeAccrual(ports, { ...accrual, payments: deep })
    } catch (error) {
      // One payer whose refunds cannot be judged now holds no other; the next round asks again.
      ports.notify({ type: 'fault', during: 'refunds', error })
    }
  }
  return merged
}

function isDue(ports: RefundPorts, payments: readonly PaymentRecord[]): boolean {
  const [oldest] = payments
  if (oldest === undefined) return false
  const hasWaited = ports.clock() - oldest.createdAt >= ports.maxDelayMs
  return hasWaited || sumOf(payments) >= ports.refundMinimum.current()
}

async function deepPayments(
  ports: RefundPorts,
  payments: readonly PaymentRecord[],
  depthOf: DepthOf,
): Promise<readonly PaymentRecord[]> {
  const deep: PaymentRecord[] = []
  for (const payment of payments) {
    const watched = await watchSettlement(ports, payment, depthOf)
    if (watched.status === 'deep' && watched.depth + 1 >= ports.confirmations)
      deep.push(watched.payment)
  }
  return deep
}

/**
 * The transfer's nonce comes from the payer and a sequence. After a restored backup the chain may
 * hold transfers of that sequence which the ledger has forgotten: what they paid is booked, oldest
 * refunds first, and the next free number is used.
 */
async function mergeAccrual(ports: RefundPorts, accrual: Accrual): Promise<number> {
  for (let sequence = accrual.sequence; ; sequence += 1) {
    const nonce = mergedRefundNonce({ ...accrual, sequence })
    if ((await ports.store.loadPayout(nonce)) !== undefined) continue
    const use = await readSequence(ports, accrual, nonce)
    if (use.status === 'unused') return await freeze(ports, accrual, nonce)
    if (use.status === 'canceled') continue
    const paid = paidBy(accrual.payments, use)
    if (paid.length > 0)
      return await bookMerged(ports, { ...accrual, payments: paid }, { nonce, use })
  }
}

async function readSequence(
  { chain, signer }: RefundPorts,
  { asset, payments }: Accrual,
  nonce: Hex,
): Promise<AuthorizationUse> {
  const blocks = payments.map(({ settlement, intentBlock }) => settlement?.block ?? intentBlock)
  const fromBlock = Math.min(...blocks)
  return await chain.authorizationUse({ asset, from: signer.treasury, nonce, fromBlock })
}

type Transferred = Extract<AuthorizationUse, { readonly status: 'transferred' }>

/** The oldest refunds that a transfer covers; those settled after it cannot be among them. */
function paidBy(payments: readonly PaymentRecord[], use: Transferred): readonly PaymentRecord[] {
  const paid: PaymentRecord[] = []
  let left: bigint = use.value
  for (const payment of payments) {
    const amount = payment.refund?.amount ?? 0n
    const isEarlier = payment.settlement !== null && payment.settlement.block <= use.proof.block
    if (!isEarlier || amount > left) break
    left -= amount
    paid.push(payment)
  }
  return paid
}

async function bookMerged(
  ports: RefundPorts,
  accrual: Accrual,
  { nonce, use }: { readonly nonce: Hex; readonly use: Transferred },
): Promise<number> {
  const at = ports.clock()
  const outcome = await ports.store.mergeAccrual(accrual, { nonce, at })
  if (outcome.status !== 'applied') return 0
  const booked = await advancePayout(ports, outcome.payout, {
    type: 'confirmed',
    proof: use.proof,
    at,
  })
  if (booked !== undefined) ports.notify({ type: 'refund_found', payout: booked, value: use.value })
  return 1
}

async function freeze(ports: RefundPorts, accrual: Accrual, nonce: Hex): Promise<number> {
  const outcome = await ports.store.mergeAccrual(accrual, { nonce, at: ports.clock() })
  return outcome.status === 'applied' ? 1 : 0
}

function sumOf(payments: readonly PaymentRecord[]): bigint {
  return payments.reduce((sum, { refund }) => sum + (refund?.amount ?? 0n), 0n)
}
