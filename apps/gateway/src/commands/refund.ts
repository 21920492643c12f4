import type { LedgerStore, PaymentRecord, RefundTransfer } from '@farebox/ledger'
import { formatUsdc } from '@farebox/money'
import { type RefundResolution, retryRefund, writeOffRefund } from '@farebox/payments'
import { openStore } from '../compose/open-store.ts'
import type { Config } from '../settings.ts'

const decisions = { 'write-off': writeOffRefund, retry: retryRefund } as const

/**
 * What an operator says about refunds that cannot be delivered. It only writes to the ledger: the
 * gateways that run on it carry it out. Undefined when the words make no command.
 */
export function refundCommand(
  words: readonly string[],
): ((config: Config) => Promise<number>) | undefined {
  const [verb, nonce, ...more] = words
  if (verb === 'list' && nonce === undefined) return withStore(listRefunds)
  if (verb !== 'write-off' && verb !== 'retry') return undefined
  if (nonce === undefined || !/^0x[0-9a-f]{64}$/i.test(nonce) || more.length > 0) return undefined
  return withStore(async (store) => {
    const id = `0x${nonce.slice(2).toLowerCase()}` as const
    const resolution = await decisions[verb]({ store, nonce: id, clock: Date.now })
    process.stdout.write(`${verdict(verb, id, resolution)}\n`)
    return resolution.status === 'accepted' ? 0 : 1
  })
}

function withStore(work: (store: LedgerStore) => Promise<number>) {
  return async (config: Config): Promise<number> => {
    const store = await openStore(config)
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  }
}

/** A line for each refund that is blocked or written off, the oldest first. */
async function listRefunds(store: LedgerStore): Promise<number> {
  const sums = { blocked: 0n, written_off: 0n }
  for await (const refundTransfer of store.exportRefunds()) {
    const { status } = refundTransfer
    if (status !== 'blocked' && status !== 'written_off') continue
    sums[status] += refundTransfer.amount
    process.stdout.write(`${refundLine(refundTransfer, await vanishedIn(store, refundTransfer))}\n`)
  }
  const { blocked, written_off: writtenOff } = sums
  process.stdout.write(`blocked ${blocked} units, written off ${writtenOff} units\n`)
  return 0
}

function refundLine(refundTransfer: RefundTransfer, vanished: bigint): string {
  const { nonce, status, reason, payer, amount, createdAt, payments } = refundTransfer
  return [
    nonce,
    status,
    reason ?? '-',
    `to ${payer}`,
    `${amount} units (${formatUsdc(amount)} USDC)`,
    ...(vanished > 0n ? [`of which ${vanished} were never received`] : []),
    `since ${new Date(createdAt).toISOString()}`,
    `for ${payments.join(' ')}`,
  ].join('  ')
}

/** What of a refund belongs to payments whose settlement is not on the chain. */
async function vanishedIn(store: LedgerStore, { payments }: RefundTransfer): Promise<bigint> {
  const loaded = await Promise.all(payments.map((id) => store.load(id)))
  const lost = loaded.filter((payment): payment is PaymentRecord => payment?.settlement === null)
  return lost.reduce((sum, { refund }) => sum + (refund?.amount ?? 0n), 0n)
}

function verdict(
  verb: keyof typeof decisions,
  nonce: string,
  resolution: RefundResolution,
): string {
  switch (resolution.status) {
    case 'accepted':
      return verb === 'retry'
        ? `Refund ${nonce} is owed and is tried at the next round.`
        : `Refund ${nonce} is given up. ${whenWrittenOff(resolution.refundTransfer)}`
    case 'not_found':
      return `There is no refund ${nonce}.`
    case 'not_blocked':
      return `Refund ${nonce} is ${resolution.refundTransfer.status}: there is nothing to decide.`
    case 'deliverable':
      return `Refund ${nonce} is blocked by ${resolution.refundTransfer.reason ?? 'us'}, which lies with us: its payee can take it, and it stays owed.`
    case 'busy':
      return `Refund ${nonce} is being worked on. Repeat the command.`
  }
}

function whenWrittenOff({ validBefore }: RefundTransfer): string {
  const nowSeconds = Date.now() / 1000
  return validBefore === null || validBefore < nowSeconds
    ? 'It is written off at the next round.'
    : `It is written off once its last signature cannot pass any more, some minutes after ${new Date(validBefore * 1000).toISOString()}; should it be delivered before, it is booked as paid.`
}
