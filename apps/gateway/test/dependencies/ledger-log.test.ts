import { pino } from 'pino'
import { expect, test } from 'vitest'
import { ledgerLog } from '../../src/dependencies/ledger-log.ts'

test('the end of the checkpoint thread is a warning with its cause, and its return is logged', () => {
  const lines: unknown[] = []
  const logger = pino(
    { base: null, timestamp: false },
    { write: (line) => void lines.push(JSON.parse(line)) },
  )
  const log = ledgerLog(logger)
  log({ type: 'checkpoint_down', error: new Error('out of memory') })
  log({ type: 'checkpoint_up' })
  expect(lines).toMatchObject([
    { level: 40, event: 'checkpoint_down', err: { message: 'out of memory' } },
    { level: 30, event: 'checkpoint_up' },
  ])
})
