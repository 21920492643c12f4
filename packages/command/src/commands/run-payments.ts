import { setTimeout as sleep } from 'node:timers/promises'
import { countOf } from '@farebox/api'
import { createFareboxClient, FareboxError } from '@farebox/client'
import { paymentLines } from '../show/payment-lines.ts'
import { withAdvice } from '../show/with-advice.ts'
import type { CommandContext, CommandIo } from '../terminal/command-io.ts'
import { printable } from '../terminal/printable.ts'
import { tableText } from '../terminal/table.ts'
import { writeResult } from '../terminal/write-result.ts'
import { openPurse } from '../wallet/open-purse.ts'
import { type PaymentNote, recallPayments } from '../wallet/payment-history.ts'

/** `farebox payments [id]`: one payment, or the latest ones made on this machine. */
export async function runPayments(
  id: string | undefined,
  { io, command }: CommandContext,
): Promise<void> {
  if (id !== undefined) {
    if (id.startsWith('0x')) throw new FareboxError('nothing_found', notPayment)
    const { client, titleOf } = await openPurse(command, io)
    const payment = await client.payment(id, { signal: io.signal })
    const text = paymentLines(payment, titleOf(payment.network))
    return writeResult(command, io, { json: payment, text })
  }
  const { limit } = command.opts<{ limit: number }>()
  if (limit === 0) throw new FareboxError('invalid_option', '--limit must be 1 or more.')
  const notes = await recallPayments(limit, io.environment)
  if (notes.length === 0) {
    throw new FareboxError('nothing_found', 'No payments yet: `farebox chat` makes one.')
  }
  const rows = await lookUpAll(notes, io)
  const header = ['at', 'model', 'cost', 'paid', 'refund', 'payment']
  writeResult(command, io, {
    json: rows.map(({ json }) => json),
    text: tableText([header, ...rows.map(({ cells }) => cells)], [2, 3]),
  })
  const errors = rows.flatMap(({ error }) => error ?? [])
  const problems = [...new Set(errors.map((error) => printable(withAdvice(error))))]
  const [first] = errors
  const asked = rows.filter(({ note }) => note.deposit === undefined)
  if (first === undefined || errors.length < asked.length) return problems.forEach(io.note)
  // Nothing could be looked up: the first problem is that of the command, which prints it.
  problems.slice(1).forEach(io.note)
  throw first
}

/** The list names the channel of a deposit, and chains and explorers name transactions. */
const notPayment =
  'The id of a payment begins with pay_. `farebox channel` shows a payment channel.'

/** A gateway takes 100 requests a minute from one address, unless it says otherwise. */
const atOnce = 20
/** How often a group waits for the gateway, and for how long at most. */
const maxWaits = 5
const maxWaitSeconds = 60

async function lookUpAll(notes: readonly PaymentNote[], io: CommandIo): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let first = 0; first < notes.length; first += atOnce) {
    rows.push(...(await lookUpGroup(notes.slice(first, first + atOnce), io)))
  }
  return rows
}

/** Asks again for those that the gateway refused as too many, when it says that it takes more. */
async function lookUpGroup(
  notes: readonly PaymentNote[],
  { note, signal }: CommandIo,
): Promise<readonly Row[]> {
  let rows = await Promise.all(notes.map(async (each) => await lookUp(each, signal)))
  for (let waits = 0; waits < maxWaits; waits += 1) {
    const refused = rows.flatMap(({ retryAfter }) => retryAfter ?? [])
    if (refused.length === 0) break
    const seconds = Math.min(Math.max(...refused), maxWaitSeconds)
    note(`The gateway limits requests: the list continues in ${countOf(seconds, 'second')}.`)
    await sleep(seconds * 1_000, undefined, { signal })
    rows = await Promise.all(
      rows.map(async (row) =>
        row.retryAfter === undefined ? row : await lookUp(row.note, signal),
      ),
    )
  }
  return rows
}

type Row = {
  readonly note: PaymentNote
  readonly json: unknown
  readonly cells: readonly string[]
  /** Why the record could not be read. */
  readonly error?: FareboxError
  /** Seconds after which it may be asked for again. */
  readonly retryAfter?: number
}

async function lookUp(note: PaymentNote, signal: AbortSignal): Promise<Row> {
  const { url, id, at, deposit } = note
  const when = at.slice(0, 19).replace('T', ' ')
  if (deposit !== undefined) {
    const cells = [when, 'deposit into a channel', '-', deposit.usd, '-', id]
    return { note, json: { channelId: id, url, at, deposit }, cells }
  }
  try {
    const payment = await createFareboxClient({ baseUrl: url }).payment(id, { signal })
    const { model, cost, paid, refund } = payment
    const cells = [when, model, cost?.usd ?? '?', paid.usd, refund?.status ?? 'none', id]
    return { note, json: payment, cells }
  } catch (error) {
    if (!(error instanceof FareboxError)) throw error
    return {
      note,
      json: { id, url, at, error: error.code },
      cells: [when, '?', '?', '?', '?', id],
      error,
      ...(error.status === 429 && { retryAfter: error.retryAfterSeconds ?? 1 }),
    }
  }
}
