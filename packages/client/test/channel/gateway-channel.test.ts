import { atomicUsdc } from '@farebox/money'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { gatewayStage } from '../../../../scripts/testing/gateway-stage.ts'
import { type ChannelOptions, createFareboxClient, type FareboxClient } from '../../src/index.ts'

// End to end: the gateway runs as its own process, and deposits are executed on its devnet.
const stage = gatewayStage({})

type Connected = FareboxClient & { readonly sent: string[] }

/** A client, and what its paid requests were answered with. */
function connect(index: number, channel: ChannelOptions): Connected {
  const { privateKey } = stage.devnet.payers[index] ?? {}
  if (privateKey === undefined) throw new Error('a payer is needed')
  const sent: string[] = []
  const client = createFareboxClient({
    baseUrl: stage.url,
    account: privateKeyToAccount(privateKey),
    networks: ['base-sepolia'],
    channel,
    async fetch(input, init) {
      const response = await fetch(input, init)
      const header = new Headers(init?.headers).get('payment-signature')
      if (header !== null) sent.push(`${kindOf(header)} ${response.status}`)
      return response
    },
  })
  return { ...client, sent }
}

function kindOf(header: string): string {
  const { accepted, payload } = JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as {
    accepted: { scheme: string }
    payload: { type?: string }
  }
  return payload.type ?? accepted.scheme
}

const question = {
  messages: [{ role: 'user', content: 'Say something about fare boxes.' }],
  max_tokens: 40,
} as const

async function stream(client: FareboxClient): Promise<void> {
  await Array.fromAsync(await client.chatStream(question))
}

test('calls from a channel, streamed and not, need no correction, and their cost is known', async () => {
  const client = connect(0, { after: 1 })
  await client.chat(question)
  const before = client.spent()
  for (let call = 0; call < 2; call += 1) {
    await stream(client)
    await client.chat(question)
  }
  expect(client.sent).toEqual(['exact 200', 'deposit 200', ...Array<string>(3).fill('voucher 200')])
  const figures = await client.channel()
  expect(figures).toMatchObject({ status: 'open', reserved: 0n })
  expect(figures?.charged).toBeGreaterThan(0n)
  expect(client.spent() - before).toBe(figures?.charged)
})

test('20 parallel calls need no correction, and the cost of each is known', async () => {
  const client = connect(1, { after: 0, deposit: atomicUsdc(500_000n) })
  await client.chat(question)
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) =>
      index % 2 === 0 ? await stream(client) : await client.chat(question),
    ),
  )
  expect(client.sent).toEqual(['deposit 200', ...Array<string>(20).fill('voucher 200')])
  const charged = client.spent()
  expect(await client.channel()).toMatchObject({ deposited: 500_000n, reserved: 0n, charged })
})

test('a client that lost its state continues with its channel', async () => {
  await connect(2, { after: 0 }).chat(question)
  const client = connect(2, { after: 0 })
  await client.chat({ ...question, max_tokens: 30 })
  await client.chat(question)
  expect(client.sent).toEqual(['deposit 402', 'voucher 200', 'voucher 200'])
  expect((await client.channel())?.charged).toBeGreaterThan(client.spent())
})

test('a channel is opened and topped up without a call', async () => {
  const client = connect(4, {})
  const half = atomicUsdc(500_000n)
  expect(await client.topUp(half)).toMatchObject({ status: 'open', deposited: half, rest: half })
  expect(await client.topUp(half)).toMatchObject({ rest: 1_000_000n, charged: 0n, reserved: 0n })
  await client.chat(question)
  expect(client.sent).toEqual(['deposit 200', 'deposit 200', 'voucher 200'])
  expect((await client.channel())?.charged).toBe(client.spent())
})

test('a channel that was charged enough is closed, and calls are paid one by one again', async () => {
  const client = connect(5, { after: 0, deposit: atomicUsdc(400_000n) })
  const images = Array.from({ length: 5 }, async () => {
    await client.images.generate({ prompt: 'a lighthouse', numberResults: 4 })
  })
  await Promise.all(images)
  const figures = await client.channel()
  expect(figures?.charged).toBeGreaterThan(20_000n)
  const closed = await client.closeChannel()
  expect(closed.status).toMatch(/^clos/)
  expect(closed.charged).toBe(figures?.charged)
  await client.chat(question)
  expect(client.sent).toEqual([
    'deposit 200',
    ...Array<string>(4).fill('voucher 200'),
    'refund 200',
    'exact 200',
  ])
})

test('the gateway gives the reason why it does not close a channel yet', async () => {
  const client = connect(3, { after: 0 })
  await client.chat(question)
  await expect(client.closeChannel()).rejects.toMatchObject({
    code: 'channel_refused',
    message: expect.stringMatching(/^The channel can be closed after .* UTC/),
  })
})
