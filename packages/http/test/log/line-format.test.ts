import { expect, test } from 'vitest'
import { lineFormat } from '../../src/log/line-format.ts'

const line = `${JSON.stringify({ level: 30, time: '2026-01-02T03:04:05.678Z', event: 'request', status: 402 })}\n`

test('lines stay JSON outside of a terminal', async () => {
  expect(await lineFormat({ LOG_FORMAT: undefined }, {})).toBeUndefined()
  expect(await lineFormat({ LOG_FORMAT: 'json' }, { isTTY: true })).toBeUndefined()
})

test('LOG_FORMAT=pretty writes one readable line, without colors into a file', async () => {
  const format = await lineFormat({ LOG_FORMAT: 'pretty' }, {})
  expect(format?.(line)).toMatch(/^\[\d\d:\d\d:05\.678\] INFO: request \{"status":402\}\n$/)
})

test('a terminal gets readable lines in color', async () => {
  const format = await lineFormat({ LOG_FORMAT: undefined }, { isTTY: true })
  expect(format?.(line)).toContain('\u001b[32mINFO\u001b[39m')
})
