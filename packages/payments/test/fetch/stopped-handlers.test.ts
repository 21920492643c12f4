import { type Devnet, payerAccount, startDevnet } from '@farebox/devnet'
import { createMemoryStore } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { openPaywall, type Paywall, paidHandler } from '@farebox/payments/fetch'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collectGarbage } from '../../../../scripts/testing/collect-garbage.ts'
import { network } from '../support/pay.ts'

let devnet: Devnet
let paywall: Paywall

beforeAll(async () => {
  devnet = await startDevnet()
  const { rpcUrl, treasury, relayer } = devnet
  paywall = openPaywall({
    network: 'devnet',
    rpcUrl,
    treasuryKey: treasury.privateKey,
    relayerKey: relayer.privateKey,
    store: createMemoryStore(),
  })
})
afterAll(async () => {
  await paywall.close()
  await devnet.stop()
})

test('a client that disconnects from a stream stops its handler by both signals after garbage was collected', async () => {
  const stopped: string[] = []
  const handle = paidHandler(paywall, {
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
  const { privateKey } = payerAccount(0)
  const scheme = new ExactEvmScheme(privateKeyToAccount(privateKey))
  const buy = wrapFetchWithPayment(
    async (input, init) =>
      await handle(new Request(new Request(input, init), { signal: client.signal })),
    new x402Client().register(network.caip2, scheme),
  )
  const reader = (await buy('http://shop.example/words')).body?.getReader()
  await reader?.read()
  await collectGarbage()
  client.abort()
  expect(stopped.toSorted()).toEqual(['of the request', 'of the sale'])
  await reader?.cancel()
})
