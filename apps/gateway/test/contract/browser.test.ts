import { execFile } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { findChromium } from '../../../../scripts/testing/chromium.ts'
import { openGateway } from '../support/open-gateway.ts'
import { chatPath, signPayment } from '../support/sign-payment.ts'

const chromium = findChromium()

/** Requests the price, has it signed at its own origin, pays, reads the stream, and shows what it saw. */
const page = (
  gateway: string,
): string => `<!doctype html><title>shop</title><pre id="out"></pre><script type="module">
const body = JSON.stringify({ model: 'openai/gpt-4.1-mini', stream: true, max_tokens: 200, messages: [{ role: 'user', content: 'Hello from a page' }] })
const headers = { 'Content-Type': 'application/json' }
const url = '${gateway}${chatPath}'
const seen = {}
try {
  const asked = await fetch(url, { method: 'POST', headers, body })
  seen.asked = asked.status
  seen.required = asked.headers.get('payment-required') !== null
  const signed = await (await fetch('/sign', { method: 'POST', body })).json()
  const paid = await fetch(url, { method: 'POST', headers: { ...headers, ...signed, 'Access-Control-Expose-Headers': 'PAYMENT-RESPONSE' }, body })
  seen.paid = paid.status
  seen.receipt = paid.headers.get('payment-response') !== null
  seen.id = paid.headers.get('x-payment-id')
  seen.done = (await paid.text()).endsWith('data: [DONE]\\n\\n')
  seen.record = (await (await fetch('${gateway}/v1/payments/' + seen.id)).json()).status
} catch (error) { seen.error = String(error) }
document.getElementById('out').textContent = 'RESULT' + JSON.stringify(seen) + 'END'
await fetch('/done', { method: 'POST', body: JSON.stringify(seen) })
</script>`

test.skipIf(chromium === undefined)(
  'a page of another origin reads the price, pays, and reads the stream and its receipt',
  async () => {
    if (chromium === undefined) throw new Error('no browser')
    const gateway = await openGateway()
    let report: ((seen: unknown) => void) | undefined
    const seen = new Promise<unknown>((resolve) => (report = resolve))
    const shop = createServer((request, response) => {
      void answer(request, response)
    })
    async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
      if (request.url === '/sign') {
        const { v2 } = await signPayment(gateway, 0, { body: JSON.parse(await text(request)) })
        response.end(JSON.stringify(v2))
      } else if (request.url === '/done') {
        report?.(JSON.parse(await text(request)))
        response.end()
      } else response.setHeader('Content-Type', 'text/html').end(page(gateway.url))
    }
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
    const { port } = shop.address() as AddressInfo
    const ending = new AbortController()
    const browser = promisify(execFile)(
      chromium.executablePath,
      [
        ...chromium.args,
        '--headless',
        '--disable-gpu',
        `--user-data-dir=${gateway.folder}/browser`,
        '--remote-debugging-port=0',
        `http://127.0.0.1:${port}/`,
      ],
      { signal: ending.signal },
    ).catch(() => undefined)
    try {
      expect(await seen).toMatchObject({
        asked: 402,
        required: true,
        paid: 200,
        receipt: true,
        done: true,
        record: 'completed',
      })
    } finally {
      ending.abort()
      await browser
      shop.closeAllConnections()
      shop.close()
      await gateway.stop()
    }
  },
)
