import { createServer } from 'node:http'
import { type Devnet, startDevnet } from '@farebox/devnet'
import { type FaultyFacilitator, startFaultyFacilitator } from '@farebox/devnet/faults'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { paymentMiddleware, x402ResourceServer } from '@x402/express'
import express from 'express'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFareboxClient, readReceipt } from '../../src/index.ts'

let devnet: Devnet
let facilitator: FaultyFacilitator
let url: string
let stop: () => Promise<void>

beforeAll(async () => {
  devnet = await startDevnet({ payers: 1 })
  facilitator = await startFaultyFacilitator({
    rpcUrl: devnet.rpcUrl,
    relayerKey: devnet.relayer.privateKey,
  })
  const resources = new x402ResourceServer(
    new HTTPFacilitatorClient({ url: facilitator.url }),
  ).register('eip155:84532', new ExactEvmScheme())
  const accepts = {
    scheme: 'exact',
    network: 'eip155:84532',
    payTo: devnet.treasury.address,
    price: '$0.01',
  } as const
  const app = express()
  const prices = { 'GET /weather': { accepts }, 'GET /map': { accepts } }
  app.use(paymentMiddleware(prices, resources))
  app.get('/map', (_request, response) => response.redirect('/maps/4711.png'))
  app.get('/weather', (_request, response) => {
    response.json({ weather: 'sunny' })
  })
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  url = `http://127.0.0.1:${address.port}`
  stop = async () => {
    await new Promise((resolve) => server.close(resolve))
  }
})
afterAll(async () => {
  await stop()
  await facilitator.stop()
  await devnet.stop()
})

test('pays any x402 server, such as Express with the stock middleware', async () => {
  const [payer] = devnet.payers
  if (payer === undefined) throw new Error('a payer is needed')
  const client = createFareboxClient({
    baseUrl: url,
    account: privateKeyToAccount(payer.privateKey),
  })
  const response = await client.fetch('/weather')
  expect(await response.json()).toEqual({ weather: 'sunny' })
  expect(readReceipt(response.headers)).toMatchObject({
    settled: true,
    payer: payer.address,
    paymentId: undefined,
  })
  expect(await devnet.usdcBalance(devnet.treasury.address)).toBe(10_000n)
  expect(client.spent()).toBe(10_000n)
})

test('a redirect that was paid for is returned and not followed', async () => {
  const [payer] = devnet.payers
  if (payer === undefined) throw new Error('a payer is needed')
  const account = privateKeyToAccount(payer.privateKey)
  const client = createFareboxClient({ baseUrl: url, account })
  const response = await client.fetch('/map')
  expect([response.status, response.headers.get('location')]).toEqual([302, '/maps/4711.png'])
  expect(readReceipt(response.headers)?.settled).toBe(true)
  expect(client.spent()).toBe(10_000n)
})
