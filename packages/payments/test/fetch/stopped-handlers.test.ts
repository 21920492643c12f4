import { atomicUsdc } from '@farebox/money'
import { paidHandler } from '@farebox/payments/fetch'
import { expect, test } from 'vitest'
import { collectGarbage } from '../../../../scripts/testing/collect-garbage.ts'
import { openDevnetPaywall } from './devnet-paywall.ts'
import { payingFetch } from './paying-fetch.ts'

const { paywall } = openDevnetPaywall()

test('a client that disconnects from a stream stops its handler by both signals after garbage was collected', async () => {
  const stopped: string[] = []
  const handle = paidHandler(paywall(), {
    description: 'words',
    price: () => atomicUsdc(10_000n),
    serve: async (request, { signal }) => {
      request.signal.addEventListener('abort', () => stopped.push('of the request'))
      signal.addEventListener('abort', () => stopped.push('of the sale'))
      const body = new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1)),
      })
      return { response: new Response(body), cost: atomicUsdc(700n) }
    },
  })
  const client = new AbortController()
  const buy = payingFetch(
    0,
    async (input, init) =>
      await handle(new Request(new Request(input, init), { signal: client.signal })),
  )
  const reader = (await buy('http://shop.example/words')).body?.getReader()
  await reader?.read()
  await collectGarbage()
  client.abort()
  expect(stopped.toSorted()).toEqual(['of the request', 'of the sale'])
  await reader?.cancel()
})
