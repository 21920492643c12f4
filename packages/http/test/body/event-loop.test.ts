import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'

/** A server of its own process: the main thread is then busy with the bodies alone. */
let server: ChildProcess
let url = ''

beforeAll(async () => {
  server = fork(new URL('measured-server.ts', import.meta.url), {
    execArgv: ['--conditions=farebox-source'],
  })
  const [started] = await once(server, 'message')
  url = started.url
  await post('[1]')
})
afterAll(() => server.kill())

async function post(body: string): Promise<number> {
  const response = await fetch(url, { method: 'POST', body })
  await response.arrayBuffer()
  return response.status
}

async function mainThreadMilliseconds(text?: string): Promise<number> {
  server.send({ text })
  const [{ milliseconds }] = await once(server, 'message')
  return milliseconds
}

/** Refused behind the last escape, so that no response is made of it. */
const escapes = [
  ['\\u0061', 5_000_000],
  ['\\n', 15_000_000],
  ['\\"', 15_000_000],
] as const
test.each(escapes.slice(0, proofSize({ quick: 1, all: escapes.length })))(
  '30 MB of the escape %s cost the main thread less than three times their parsing',
  async (escaped, times) => {
    const body = `["${escaped.repeat(times)}",]`
    const before = await mainThreadMilliseconds()
    expect(await post(body)).toBe(400)
    const spent = (await mainThreadMilliseconds()) - before
    expect(spent).toBeLessThan(3 * (await mainThreadMilliseconds(body)))
  },
)
