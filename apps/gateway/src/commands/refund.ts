import type { LedgerStore, PaymentRecord, RefundTransfer } from '@farebox/ledger'
import { formatUsdc } from '@farebox/money'
import { type LedgerSettings, openExistingStore } from '../compose/open-store.ts'
import { decideRefund } from '../console/decide-refund.ts'
import { createLeftOutRows } from './left-out-rows.ts'

type Print = (line: string) => void

const printLine: Print = (line) => {
  process.stdout.write(`${line}\n`)
}

/**
 * An operator's decisions about refunds that cannot be delivered. The command only writes to the
 * ledger; the running gateways carry the decision out. `undefined` if the arguments are not valid.
 */
export function refundCommand(
  args: readonly string[],
  print: Print = printLine,
): ((config: LedgerSettings) => Promise<number>) | undefined {
  const [verb, nonce, ...more] = args
  if (verb === 'list' && nonce === undefined) return withStore((store) => listRefunds(store, print))
  if (verb !== 'write-off' && verb !== 'retry') return undefined
  if (nonce === undefined || more.length > 0) return undefined
  return withStore(async (store) => {
    if (!isNonce(nonce)) {
      print(
        `${nonce} is not a nonce: use 0x and 64 hexadecimal digits, as \`refund list\` prints them.`,
      )
      return 2
    }
    const id = `0x${nonce.slice(2).toLowerCase()}` as const
    const { isAccepted, message } = await decideRefund(store, verb, id)
    print(message)
    return isAccepted ? 0 : 1
  })
}

function isNonce(text: string): boolean {
  return /^0x[0-9a-f]{64}$/i.test(text)
}

function withStore(work: (store: LedgerStore) => Promise<number>) {
  return async (config: LedgerSettings): Promise<number> => {
    const store = await openExistingStore(config)
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  }
}

/** Prints a line for each refund that is blocked or written off, oldest first. */
async function listRefunds(store: LedgerStore, print: Print): Promise<number> {
  const sums = { blocked: 0n, written_off: 0n }
  let listed = 0
  const { leaveOut, exitCode } = createLeftOutRows()
  for await (const transfer of store.exportRefunds(leaveOut)) {
    const { status } = transfer
    if (status !== 'blocked' && status !== 'written_off') continue
    sums[status] += transfer.amount
    listed += 1
    print(refundLine(transfer, await vanishedIn(store, transfer)))
  }
  const { blocked, written_off: writtenOff } = sums
  print(
    listed === 0
      ? 'No refund is blocked or written off.'
      : `blocked ${blocked} units, written off ${writtenOff} units`,
  )
  return exitCode()
}

function refundLine(transfer: RefundTransfer, vanished: bigint): string {
  const { nonce, status, reason, payer, amount, createdAt, payments } = transfer
  return [
    nonce,
    status,
    reason ?? '-',
    `to ${payer}`,
    `${amount} units (${formatUsdc(amount)} USDC)`,
    ...(vanished > 0n ? [`of which ${vanished} were lost in a reorganization`] : []),
    `since ${new Date(createdAt).toISOString()}`,
    `for ${payments.join(' ')}`,
  ].join('  ')
}

/** The part of a refund whose payments are no longer settled on the chain. */
async function vanishedIn(store: LedgerStore, { payments }: RefundTransfer): Promise<bigint> {
  const loaded = await Promise.all(payments.map((id) => store.load(id)))
  const lost = loaded.filter((payment): payment is PaymentRecord => payment?.settlement === null)
  return lost.reduce((sum, { refund }) => sum + (refund?.amount ?? 0n), 0n)
}
