import { type Devnet, startDevnet } from '@farebox/devnet'
import { startFaultyFacilitator } from '@farebox/devnet/faults'
import { paymentMiddleware } from '@farebox/payments/express'
import express, { type Express } from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { receiptOf, stockClient } from '../support/channel-shop.ts'
import { expressShop } from './express-shop.ts'

let devnet: Devnet
let facilitatorUrl: string
const atTheEnd: (() => void | Promise<void>)[] = []
const { ends, listen } = expressShop()

beforeAll(async () => {
  devnet = await startDevnet()
  const { rpcUrl, relayer } = devnet
  const server = await startFaultyFacilitator({ rpcUrl, relayerKey: relayer.privateKey })
  atTheEnd.push(server.stop, devnet.stop)
  facilitatorUrl = server.url
})
afterAll(async () => {
  for (const end of atTheEnd) await end()
})

/** A shop that sells by channel too. */
function channelApp(): Express {
  const { rpcUrl, treasury, relayer } = devnet
  const middleware = paymentMiddleware(
    treasury.address,
    { 'GET /weather/*': '$0.001' },
    {
      url: facilitatorUrl,
      rpcUrl,
      treasuryKey: treasury.privateKey,
      relayerKey: relayer.privateKey,
      channels: {},
    },
  )
  ends.push(() => middleware.close())
  return express()
    .use(middleware)
    .get('/weather/:city', (request, response) => void response.json({ city: request.params.city }))
}

test('a route is paid from a channel, with its deposit sent by the facilitator', async () => {
  const url = `${await listen(channelApp())}/weather/ulm`
  const { fetch: payingFetch, sent } = stockClient(devnet, 9, { bare: true })
  for (let call = 1; call <= 3; call += 1) {
    const paid = await payingFetch(url)
    expect(await paid.json()).toEqual({ city: 'ulm' })
    expect(receiptOf(paid)).toMatchObject({ charged: '1000', total: `${call * 1_000}` })
  }
  expect(sent).toHaveLength(3)
})

test('a failed response states that its channel is not charged, and the next call needs no correction', async () => {
  const shop = channelApp()
  shop.get('/weather/:city/:status', ({ params }, response) => {
    response.writeHead(Number(params.status), { 'content-length': 0 }).end()
  })
  const url = `${await listen(shop)}/weather/rome`
  const { fetch: payingFetch, sent } = stockClient(devnet, 10, { bare: true })
  const receipts: unknown[] = []
  for (const path of ['', '/503', '', '/404', '']) {
    const paid = await payingFetch(url + path)
    await paid.text()
    const { charged, total } = receiptOf(paid)
    receipts.push([paid.status, charged, total])
  }
  expect(receipts).toEqual([
    [200, '1000', '1000'],
    [503, '0', '1000'],
    [200, '1000', '2000'],
    [404, '0', '2000'],
    [200, '1000', '3000'],
  ])
  expect(sent).toHaveLength(5)
})

test('a channel is shown, and closed for its payer', async () => {
  const origin = await listen(channelApp())
  const { fetch: payingFetch, scheme } = stockClient(devnet, 11)
  for (let call = 0; call < 20; call += 1) await payingFetch(`${origin}/weather/ulm`)
  const { extra = {}, amount } = await scheme.refund(`${origin}/v1/channel`)
  const { channelId } = extra['channelState'] as { readonly channelId: string }
  const figures = await fetch(`${origin}/v1/channels/${channelId}`)
  expect(await figures.json()).toMatchObject({ charged: { usdc: '20000' }, rest: { usdc: '0' } })
  expect(BigInt(amount ?? 0)).toBeGreaterThan(0n)
  const left = await Promise.all(
    ['channels/0x1', 'channel/0x1', 'other'].map((path) => fetch(`${origin}/v1/${path}`)),
  )
  expect(left.map(({ status }) => status)).toEqual([404, 404, 404])
})
