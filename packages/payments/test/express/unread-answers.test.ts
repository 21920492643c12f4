import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Devnet, startDevnet } from '@farebox/devnet'
import { openLedger } from '@farebox/ledger/sql'
import { atomicUsdc } from '@farebox/money'
import { openPaywall, type Paywall, sell } from '@farebox/payments/express'
import { paidHandler } from '@farebox/payments/fetch'
import express from 'express'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { payingFetch } from '../fetch/paying-fetch.ts'
import { expressShop } from './express-shop.ts'

const megabyte = 1_000_000
const copies = 30
const cost = atomicUsdc(10_000n)
const json = { text: 'x'.repeat(4 * megabyte) }

let devnet: Devnet
let folder: string
const { ends, listen } = expressShop()
beforeAll(async () => {
  devnet = await startDevnet()
  folder = await mkdtemp(join(tmpdir(), 'farebox-unread-'))
})
afterAll(async () => {
  await devnet.stop()
  await rm(folder, { recursive: true, force: true })
})

async function paywallOn(file: string): Promise<Paywall> {
  const { rpcUrl, treasury, relayer } = devnet
  const keys = { treasuryKey: treasury.privateKey, relayerKey: relayer.privateKey }
  const store = await openLedger({ url: `sqlite:${join(folder, file)}` })
  const paywall = openPaywall({ rpcUrl, ...keys, network: 'devnet', store })
  ends.push(() => paywall.close())
  return paywall
}

/** What buffers hold, in bytes, without garbage. */
function held(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().arrayBuffers
}

/** V8 frees the memory of buffers in the background after a collection, so this waits for it. */
async function expectHeldOnce(before: number): Promise<void> {
  await vi.waitFor(() => expect((held() - before) / megabyte).toBeLessThan(12), 10_000)
}

/** Buys the answer, and gives the payment that bought it. */
async function buy(payer: number, url: string, send: typeof fetch): Promise<string> {
  let payment = ''
  const buying = payingFetch(payer, async (input, init) => {
    const request = new Request(input, init)
    payment = request.headers.get('payment-signature') ?? payment
    return await send(request)
  })
  await (await buying(url, { method: 'POST' })).arrayBuffer()
  return payment
}

test('a large answer that is asked for again and again and never read is held once', async () => {
  const sale = { description: 'a lot', price: () => cost, serve: async () => ({ cost, json }) }
  const paywall = await paywallOn('sell.db')
  const url = await listen(express().post('/sale', sell(paywall, sale)))
  const payment = await buy(0, `${url}/sale`, fetch)
  const { port } = new URL(url)
  const before = held()
  for (let copy = 0; copy < copies; copy += 1) {
    const socket = connect(Number(port), '127.0.0.1')
    ends.push(() => void socket.destroy())
    const head = `Host: a\r\nContent-Length: 0\r\nPAYMENT-SIGNATURE: ${payment}\r\n\r\n`
    socket.write(`POST /sale HTTP/1.1\r\n${head}`)
    await once(socket, 'readable')
    socket.pause()
  }
  await expectHeldOnce(before)
})

test('a large answer of a route handler that is asked for again and again and never read is held once', async () => {
  const paywall = await paywallOn('handler.db')
  const handler = paidHandler(paywall, {
    description: 'a lot',
    price: () => cost,
    serve: async () => ({ response: Response.json(json), cost }),
  })
  const url = 'http://shop.test/sale'
  const payment = await buy(1, url, (input) => handler(new Request(input)))
  const before = held()
  const unread: Response[] = []
  for (let copy = 0; copy < copies; copy += 1) {
    const headers = { 'PAYMENT-SIGNATURE': payment }
    unread.push(await handler(new Request(url, { method: 'POST', headers })))
  }
  await expectHeldOnce(before)
  expect(await unread.at(-1)!.json()).toEqual(json)
})
