import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { CommandIo } from '../terminal/command-io.ts'
import { statePath } from '../terminal/state-path.ts'

/** A payment of this wallet: where its record is. */
export type PaymentNote = { readonly url: string; readonly id: string; readonly at: string }

const noteSchema: z.ZodType<PaymentNote> = z.object({
  url: z.string(),
  id: z.string(),
  at: z.string(),
})

type Environment = CommandIo['environment']

/** Remembers a payment, so that `farebox payments` can list it. */
export async function rememberPayment(note: PaymentNote, environment: Environment): Promise<void> {
  const path = historyPath(environment)
  await mkdir(dirname(path), { recursive: true })
  await appendFile(path, `${JSON.stringify(note)}\n`, { mode: 0o600 })
}

/** The latest payments, newest first. */
export async function recallPayments(
  count: number,
  environment: Environment,
): Promise<readonly PaymentNote[]> {
  const text = await readFile(historyPath(environment), 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .slice(-count)
    .reverse()
    .map((line) => noteSchema.parse(JSON.parse(line)))
}

const historyPath = (environment: Environment): string => statePath('payments.jsonl', environment)
