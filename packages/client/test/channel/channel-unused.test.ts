import { atomicUsdc } from '@farebox/money'
import { beforeEach, expect, test } from 'vitest'
import { askedDeposit, ceiling } from '../../../../scripts/testing/channel-gateway.ts'
import type { ChannelUnused, FareboxClientOptions, Fetch } from '../../src/index.ts'
import { channelClient, hello } from '../support/channel-client.ts'
import { channelGatewayForEachTest } from '../support/channel-gateway-for-each-test.ts'
import { checkVoucher } from '../support/check-voucher.ts'

const gateway = channelGatewayForEachTest(checkVoucher)
let reported: ChannelUnused[] = []
beforeEach(() => {
  reported = []
})

function connect(options: Partial<FareboxClientOptions> = {}) {
  const channel = { after: 0, onUnused: (unused: ChannelUnused) => reported.push(unused) }
  return channelClient(gateway(), { channel, ...options })
}

const schemes = () => gateway().paid.map(({ type, scheme }) => type ?? scheme)

/** The 402 of a gateway that sells nothing from channels. */
const byExactOnly: Fetch = async (input, init) => {
  const response = await fetch(input, init)
  const challenge = response.headers.get('payment-required')
  if (challenge === null) return response
  const terms = JSON.parse(Buffer.from(challenge, 'base64').toString())
  const accepts = terms.accepts.filter(({ scheme }: { scheme: string }) => scheme === 'exact')
  const header = Buffer.from(JSON.stringify({ ...terms, accepts })).toString('base64')
  return new Response(null, { status: 402, headers: { 'payment-required': header } })
}

test.each<
  readonly [ChannelUnused['reason'], Partial<FareboxClientOptions>, maxAmount: bigint, RegExp]
>([
  [
    'caps_exceeded',
    { maxTotal: atomicUsdc(askedDeposit - 1n) },
    ceiling,
    /a deposit of 0\.02 USDC exceeds what is left of the hourly or the total cap/,
  ],
  [
    'deposit_above_limit',
    { maxAmountPerCall: atomicUsdc(100n) },
    ceiling,
    /a deposit of at least 0\.001 USDC, and the limit is 0\.0005 USDC/,
  ],
  ['not_offered', { fetch: byExactOnly }, ceiling, /does not sell it from payment channels/],
])(
  'each call that is paid by exact says why, and the client once: %s',
  async (reason, options, max, message) => {
    const client = connect(options)
    const maxAmount = atomicUsdc(max)
    const unused = { reason, message: expect.stringMatching(message) }
    for (let call = 0; call < 2; call += 1) {
      const { receipt } = await client.chat(hello, { maxAmount })
      expect(receipt?.channelUnused).toEqual(unused)
      const stream = await client.chatStream(hello, { maxAmount })
      expect(stream.receipt?.channelUnused).toEqual(unused)
      for await (const _ of stream);
    }
    expect(reported).toEqual([unused])
    expect(schemes()).toEqual(Array<string>(4).fill('exact'))
  },
)

test('what refuses a channel is reported, and again once the channel has paid in between', async () => {
  let now = Date.now()
  const client = connect({ now: () => now })
  const refused = {
    reason: 'refused',
    message:
      'The call is paid by exact: the gateway did not accept the payment channel, which is tried again after a minute. Refused: channel_limit_reached.',
  }
  for (let time = 0; time < 2; time += 1) {
    gateway().refusal = undefined
    expect((await client.chat(hello)).receipt?.channelUnused).toBeUndefined()
    gateway().refusal = 'channel_limit_reached'
    for (let call = 0; call < 2; call += 1) {
      expect((await client.chat(hello)).receipt?.channelUnused).toEqual(refused)
    }
    expect(reported).toEqual(Array<unknown>(time + 1).fill(refused))
    now += 60_000
  }
})

test('a refusal whose reason does not come is not waited for', async () => {
  const silent: Fetch = async (input, init) => {
    const response = await fetch(input, init)
    const isRefused = response.status === 402 && new Headers(init?.headers).has('payment-signature')
    if (!isRefused) return response
    await response.body?.cancel()
    return new Response(new ReadableStream(), response)
  }
  const client = connect({ fetch: silent })
  gateway().refusal = 'channel_limit_reached'
  const { receipt } = await client.chat(hello)
  expect(receipt?.channelUnused?.message).toMatch(/after a minute\. channel_limit_reached$/)
})

test('calls after the client closed its channel, and those before it opens one', async () => {
  const client = connect({
    channel: { after: 1, onUnused: (unused) => reported.push(unused) },
  })
  await client.chat(hello)
  await client.chat(hello)
  expect(reported).toEqual([])
  await client.closeChannel()
  expect((await client.chat(hello)).receipt?.channelUnused?.reason).toBe('closed')
  expect(reported.map(({ reason }) => reason)).toEqual(['closed'])
})
