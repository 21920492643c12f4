import { createFareboxClient, FareboxError } from '@farebox/client'
import type { Command } from 'commander'
import { paymentLines } from '../show/payment-lines.ts'
import { withAdvice } from '../show/with-advice.ts'
import type { CommandIo } from '../terminal/command-io.ts'
import { tableText } from '../terminal/table.ts'
import { writeResult } from '../terminal/write-result.ts'
import { openPurse } from '../wallet/open-purse.ts'
import { type PaymentNote, recallPayments } from '../wallet/payment-history.ts'

/** `farebox payments [id]`: one payment, or the latest ones made on this machine. */
export async function runPayments(
  id: string | undefined,
  { io, command }: { readonly io: CommandIo; readonly command: Command },
): Promise<void> {
  if (id !== undefined) {
    const { client } = await openPurse(command, io)
    const payment = await client.payment(id, { signal: io.signal })
    return writeResult(command, io, { json: payment, text: paymentLines(payment) })
  }
  const { limit } = command.opts<{ limit: number }>()
  if (limit === 0) throw new FareboxError('invalid_option', '--limit must be 1 or more.')
  const notes = await recallPayments(limit, io.environment)
  if (notes.length === 0) {
    throw new FareboxError('nothing_found', 'No payments yet: `farebox chat` makes one.')
  }
  const rows = await Promise.all(notes.map(async (note) => await lookUp(note, io.signal)))
  const header = ['at', 'model', 'cost', 'paid', 'refund', 'payment']
  writeResult(command, io, {
    json: rows.map(({ json }) => json),
    text: tableText([header, ...rows.map(({ cells }) => cells)], [2, 3]),
  })
  for (const problem of new Set(rows.map((row) => row.problem))) {
    if (problem !== undefined) io.note(problem)
  }
}

type Row = {
  readonly json: unknown
  readonly cells: readonly string[]
  /** Why the record could not be read. */
  readonly problem?: string
}

async function lookUp({ url, id, at }: PaymentNote, signal: AbortSignal): Promise<Row> {
  const when = at.slice(0, 19).replace('T', ' ')
  try {
    const payment = await createFareboxClient({ baseUrl: url }).payment(id, { signal })
    const { model, cost, paid, refund } = payment
    const cells = [when, model, cost?.usd ?? '?', paid.usd, refund?.status ?? 'none', id]
    return { json: payment, cells }
  } catch (error) {
    if (!(error instanceof FareboxError)) throw error
    return {
      json: { id, url, at, error: error.code },
      cells: [when, '?', '?', '?', '?', id],
      problem: withAdvice(error),
    }
  }
}
