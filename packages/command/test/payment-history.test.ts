import { appendFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recallPayments, rememberPayment } from '../src/wallet/payment-history.ts'

const noteOf = (id: string) => ({
  url: 'http://127.0.0.1:4020',
  id,
  at: '2026-01-02T03:04:05.000Z',
})

test('a line that a killed process did not finish hides no other payment', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-history-'))
  const environment = { XDG_STATE_HOME: folder }
  await rememberPayment(noteOf('pay_1'), environment)
  await appendFile(join(folder, 'farebox', 'payments.jsonl'), '{"url":"http://127.0')
  await rememberPayment(noteOf('pay_2'), environment)
  await rememberPayment(noteOf('pay_3'), environment)
  const recalled = await recallPayments(2, environment)
  expect(recalled.map(({ id }) => id)).toEqual(['pay_3', 'pay_2'])
  await rm(folder, { recursive: true })
})

test('a history that cannot be read is an error, and not an empty one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-history-'))
  const path = join(folder, 'farebox', 'payments.jsonl')
  await mkdir(path, { recursive: true })
  await expect(recallPayments(2, { XDG_STATE_HOME: folder })).rejects.toMatchObject({
    code: 'state_not_read',
    message: `${path} cannot be read (EISDIR). Correct it, or set XDG_STATE_HOME to another folder.`,
  })
  await rm(folder, { recursive: true })
})
