import { appendFile, readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { CommandIo } from '../terminal/command-io.ts'
import { printable } from '../terminal/printable.ts'
import { readState } from '../terminal/read-state.ts'
import { statePath } from '../terminal/state-path.ts'
import { writeState } from '../terminal/write-state.ts'
import { parseJson } from './parse-json.ts'

/** A payment of this wallet: where its record is; or a deposit into a payment channel. */
export type PaymentNote = {
  readonly url: string
  /** Of the payment; of the channel, for a deposit. */
  readonly id: string
  readonly at: string
  readonly deposit?: { readonly usd: string; readonly transaction: string } | undefined
}

const noteSchema: z.ZodType<PaymentNote> = z.object({
  url: z.string(),
  id: z.string(),
  at: z.string(),
  deposit: z.object({ usd: z.string(), transaction: z.string() }).optional(),
})

type Environment = CommandIo['environment']

/** Remembers a payment, so that `farebox payments` can list it. */
export async function rememberPayment(note: PaymentNote, environment: Environment): Promise<void> {
  // Begins a new line, even after one that a killed process did not finish.
  const line = `\n${JSON.stringify(note)}\n`
  await writeState(
    historyPath(environment),
    async (path) => await appendFile(path, line, { mode: 0o600 }),
  )
}

/** Remembers a payment that was made. If it cannot be saved, a note reports it. */
export async function rememberOrNote(
  payment: PaymentNote,
  { environment, note }: Pick<CommandIo, 'environment' | 'note'>,
): Promise<void> {
  await rememberPayment(payment, environment).catch((error: unknown) => {
    const { id, deposit } = payment
    const name = deposit === undefined ? `Payment ${id}` : `The deposit ${deposit.transaction}`
    const why = error instanceof Error ? error.message : String(error)
    note(`${printable(name)} is not in \`farebox payments\`: ${why}`)
  })
}

/** The latest payments, newest first, without lines that a process did not finish writing. */
export async function recallPayments(
  count: number,
  environment: Environment,
): Promise<readonly PaymentNote[]> {
  const path = historyPath(environment)
  const text = (await readState(path, async () => await readFile(path, 'utf8'))) ?? ''
  return text
    .split('\n')
    .flatMap((line) => noteSchema.safeParse(parseJson(line)).data ?? [])
    .slice(-count)
    .reverse()
}

const historyPath = (environment: Environment): string => statePath('payments.jsonl', environment)
