import { atomicUsdc, type Usdc } from '@farebox/money'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { askedDeposit, ceiling } from '../../../../scripts/testing/channel-gateway.ts'
import {
  type ChannelStore,
  createFareboxClient,
  type FareboxClient,
  type FareboxClientOptions,
  type StoredChannel,
} from '../../src/index.ts'
import { account, channelClient, hello, paymentsTo } from '../support/channel-client.ts'
import { channelGatewayForEachTest } from '../support/channel-gateway-for-each-test.ts'
import { checkVoucher } from '../support/check-voucher.ts'

const gateway = channelGatewayForEachTest(checkVoucher)

function connect(options: Partial<FareboxClientOptions> = {}): FareboxClient {
  return channelClient(gateway(), options)
}

function payments(): readonly string[] {
  return paymentsTo(gateway())
}

function charged(): bigint | undefined {
  return [...gateway().channels.values()][0]?.charged
}

async function times(count: number, call: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done += 1) await call()
}

function keptStore(): ChannelStore & { readonly kept: Map<string, StoredChannel> } {
  const kept = new Map<string, StoredChannel>()
  return {
    kept,
    load: async (id) => kept.get(id),
    async save(channel) {
      kept.set(channel.id, channel)
    },
  }
}

test('three calls are paid one by one, then a channel is opened for all others', async () => {
  const client = connect({ channel: {} })
  await times(8, async () => await client.chat(hello))
  expect(payments()).toEqual([
    ...Array<string>(3).fill('exact 200'),
    'deposit 200',
    ...Array<string>(4).fill('voucher 200'),
  ])
  expect(gateway().paid.map(({ max }) => max)).toEqual([
    0n,
    0n,
    0n,
    1000n,
    1300n,
    1600n,
    1900n,
    2200n,
  ])
  expect(gateway().paid[3]?.deposit).toBe(askedDeposit)
  expect(client.spent()).toBe(3n * ceiling + 5n * 300n)
})

test('without the option each call is paid separately', async () => {
  const client = createFareboxClient({ baseUrl: gateway().url, account })
  await times(5, async () => await client.chat(hello))
  expect(payments()).toEqual(Array<string>(5).fill('exact 200'))
  await expect(client.channel()).rejects.toMatchObject({ code: 'channel_unavailable' })
})

test('streams and answers in one piece follow each other without a correction', async () => {
  const client = connect()
  await client.chat(hello)
  await times(10, async () => {
    for await (const _ of await client.chatStream(hello));
    await client.chat(hello)
  })
  expect(payments()).toEqual(['deposit 200', ...Array<string>(20).fill('voucher 200')])
  expect(client.spent()).toBe(21n * 300n)
  expect(gateway().paid.at(-1)?.max).toBe(20n * 300n + ceiling)
})

test('the receipt in a stream that another client reads counts', async () => {
  const client = connect()
  const openai = new OpenAI({
    baseURL: `${gateway().url}/v1`,
    apiKey: 'none',
    maxRetries: 0,
    fetch: client.fetch,
  })
  await times(3, async () => {
    const stream = await openai.chat.completions.create({
      model: 'sandbox/echo',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
    })
    for await (const part of stream) expect(part.choices[0]?.delta.content).toBe('Hello.')
  })
  expect(gateway().paid.map(({ max }) => max)).toEqual([1000n, 1300n, 1600n])
  expect(client.spent()).toBe(900n)
})

test.each([
  ['cold', 0],
  ['warm', 1],
])('20 parallel calls need no correction, %s', async (_, before) => {
  const client = connect({ channel: { after: 0, deposit: atomicUsdc(100_000n) } })
  await times(before, async () => await client.chat(hello))
  await Promise.all(Array.from({ length: 20 }, async () => await client.chat(hello)))
  expect(payments()).toEqual(['deposit 200', ...Array<string>(19 + before).fill('voucher 200')])
  expect(charged()).toBe(BigInt(20 + before) * 300n)
})

test('before a deposit the client asks what parallel calls cost', async () => {
  const client = connect({ channel: { after: 0, deposit: atomicUsdc(10_000n) } })
  await client.chat(hello)
  for (let burst = 0; burst < 3; burst += 1) {
    await Promise.all(Array.from({ length: 4 }, async () => await client.chat(hello)))
  }
  expect(payments()).toEqual(['deposit 200', ...Array<string>(12).fill('voucher 200')])
})

test('a deposit that the gateway does not need is not made, since it states which calls have ended', async () => {
  const client = connect({ channel: { after: 0, deposit: atomicUsdc(2_000n) } })
  await client.chat(hello)
  const ended: (() => void)[] = []
  gateway().serve = async () => {
    const [channel] = gateway().channels.values()
    if (channel === undefined || ended.length > 0) return
    // The call is over for the gateway, and its answer on the way.
    channel.reserved -= ceiling
    channel.charged += gateway().cost
    await new Promise<void>((resolve) => ended.push(resolve))
    channel.reserved += ceiling
    channel.charged -= gateway().cost
  }
  const late = client.chat(hello)
  await expect.poll(() => ended.length).toBe(1)
  await client.chat(hello)
  ended[0]?.()
  await late
  expect(payments()).toEqual(['deposit 200', 'voucher 200', 'deposit 402', 'voucher 200'])
})

test('parallel calls arrive in any order', async () => {
  const client = connect({ channel: { after: 0, deposit: atomicUsdc(100_000n) } })
  await client.chat(hello)
  let waiting = 0
  const opened: (() => void)[] = []
  gateway().serve = async () => {
    waiting += 1
    if (waiting === 5) for (const open of opened.toReversed()) open()
    else await new Promise<void>((resolve) => opened.push(resolve))
  }
  await Promise.all(Array.from({ length: 5 }, async () => await client.chat(hello)))
  gateway().serve = async () => undefined
  await client.chat(hello)
  expect(payments()).toEqual(['deposit 200', ...Array<string>(6).fill('voucher 200')])
})

test('a client that lost its state continues with its channel, and deposits nothing', async () => {
  const before = connect()
  await times(3, async () => await before.chat(hello))
  gateway().paid.length = 0
  const client = connect()
  await times(2, async () => await client.chat(hello))
  expect(payments()).toEqual(['deposit 402', 'voucher 200', 'voucher 200'])
  expect(charged()).toBe(5n * 300n)
  expect(client.spent()).toBe(2n * 300n)
})

test('a restarted client continues from its store', async () => {
  const store = keptStore()
  await times(3, async () => await connect({ channel: { after: 0, store } }).chat(hello))
  const [kept] = store.kept.values()
  expect(kept).toMatchObject({ gateway: gateway().url, balance: '20000', charged: '900' })
  expect(payments()).toEqual(['deposit 200', 'voucher 200', 'voucher 200'])
  const [first] = gateway().channels.keys()
  expect(kept?.id).toBe(first)
})

test('another salt is another channel', async () => {
  await connect().chat(hello)
  await connect({ channel: { after: 0, salt: `0x${'07'.repeat(32)}` } }).chat(hello)
  expect(payments()).toEqual(['deposit 200', 'deposit 200'])
  expect(gateway().channels.size).toBe(2)
})

test.each([
  [
    'a sum above the proof',
    (extra: Record<string, Record<string, string>>) => ({
      ...extra,
      channelState: { ...extra['channelState'], chargedCumulativeAmount: '999999' },
    }),
  ],
  [
    'a claim above the sum',
    (extra: Record<string, Record<string, string>>) => ({
      ...extra,
      channelState: { ...extra['channelState'], totalClaimed: '999999' },
    }),
  ],
  [
    "a stranger's signature",
    (extra: Record<string, Record<string, string>>) => ({
      ...extra,
      voucherState: { ...extra['voucherState'], signature: `0x${'11'.repeat(64)}1b` },
    }),
  ],
  ['no proof', ({ channelState }: Record<string, Record<string, string>>) => ({ channelState })],
])('a correction with %s is not believed: the call is paid by exact', async (_, forge) => {
  await connect().chat(hello)
  gateway().forge = forge
  gateway().paid.length = 0
  const client = connect()
  await client.chat(hello)
  expect(payments()).toEqual(['deposit 402', 'exact 200'])
  expect(client.spent()).toBe(ceiling)
})

test('a voucher is corrected once, then the call is paid by exact', async () => {
  await connect().chat(hello)
  const client = connect()
  gateway().paid.length = 0
  // It states the sum before the last call again and again.
  gateway().forge = (extra) => ({
    ...extra,
    channelState: { ...extra['channelState'], chargedCumulativeAmount: '0' },
  })
  await client.chat(hello)
  expect(payments()).toEqual(['deposit 402', 'voucher 402', 'exact 200'])
})

test('a gateway that refuses the channel is paid by exact, for a minute', async () => {
  let now = Date.now()
  const client = connect({ now: () => now })
  await client.chat(hello)
  gateway().refusal = 'channel_limit_reached'
  await times(3, async () => await client.chat(hello))
  gateway().refusal = undefined
  now += 60_000
  await client.chat(hello)
  expect(payments()).toEqual([
    'deposit 200',
    'voucher 402',
    ...Array<string>(3).fill('exact 200'),
    'voucher 200',
  ])
})

test('a call that is refused after its deposit leaves it in the channel', async () => {
  let now = Date.now()
  const client = connect({ now: () => now, maxTotal: atomicUsdc(askedDeposit + 2n * ceiling) })
  gateway().lateRefusal = 'channels_limit_reached'
  await client.chat(hello)
  expect(charged()).toBe(0n)
  await client.chat(hello)
  gateway().lateRefusal = undefined
  now += 60_000
  await client.chat(hello)
  expect(payments()).toEqual(['deposit 402', 'exact 200', 'exact 200', 'voucher 200'])
})

test('a deposit that the caps do not allow is not made', async () => {
  const client = connect({ maxTotal: atomicUsdc(askedDeposit - 1n) })
  await client.chat(hello)
  expect(payments()).toEqual(['exact 200'])
})

test('a deposit counts within the caps', async () => {
  const client = connect({ maxTotal: atomicUsdc(askedDeposit + ceiling - 1n) })
  await client.chat(hello)
  expect(client.spent()).toBe(300n)
  gateway().refusal = 'channel_limit_reached'
  await expect(client.chat(hello)).rejects.toMatchObject({
    code: 'spend_cap_exceeded',
    cap: { scope: 'total', left: ceiling - 1n },
  })
})

test('what a channel holds from an earlier run counts within the caps', async () => {
  const store = keptStore()
  await connect({ channel: { store, after: 0 } }).chat(hello)
  const maxTotal = atomicUsdc(askedDeposit - 301n)
  await connect({ channel: { store, after: 0 }, maxTotal }).chat(hello)
  expect(payments()).toEqual(['deposit 200', 'exact 200'])
})

test('the deposit can be set, and is topped up when the channel is used up', async () => {
  const client = connect({ channel: { after: 0, deposit: atomicUsdc(2_000n) } })
  await times(6, async () => await client.chat(hello))
  expect(gateway().paid.map(({ deposit }) => deposit)).toEqual([2000n, 0n, 0n, 0n, 2000n, 0n])
  expect(payments().every((payment) => payment.endsWith(' 200'))).toBe(true)
})

test('by default at most five times the price cap is deposited', async () => {
  await connect({ maxAmountPerCall: atomicUsdc(1_500n) }).chat(hello)
  expect(gateway().paid.map(({ deposit }) => deposit)).toEqual([7_500n])
})

test('a voucher whose answer was lost is sent again, not signed again', async () => {
  const client = connect()
  await client.chat(hello)
  let calls = 0
  gateway().serve = async (_, response) => {
    calls += 1
    if (calls === 1) {
      gateway().channels.values().next().value?.used.clear()
      response.destroy()
    }
  }
  await client.chat(hello)
  const [, first, second] = gateway().paid
  expect(first?.type).toBe('voucher')
  expect(second?.header).toBe(first?.header)
})

test('a call whose channel cannot be kept is not paid', async () => {
  const store: ChannelStore = {
    load: async () => undefined,
    save: async () => await Promise.reject(new Error('disk full')),
  }
  const client = connect({ channel: { after: 0, store } })
  await client.chat(hello)
  await expect(client.chat(hello)).rejects.toMatchObject({ code: 'channel_store_failed' })
  expect(payments()).toEqual(['deposit 200'])
})

test('a contract wallet as the signer pays nothing', async () => {
  const client = connect({
    account: { address: account.address, signTypedData: async () => `0x${'22'.repeat(100)}` },
  })
  await expect(client.chat(hello)).rejects.toMatchObject({ code: 'no_acceptable_payment' })
  expect(gateway().paid).toEqual([])
  expect(client.spent()).toBe(0n)
})

test('a channel is shown, topped up and closed', async () => {
  const client = connect()
  expect(await client.channel()).toBeUndefined()
  expect(await client.topUp(atomicUsdc(5_000n))).toMatchObject({ status: 'open', rest: 5_000n })
  await client.chat(hello)
  const figures = { deposited: 5_000n, charged: 300n, reserved: 0n, rest: 4_700n }
  expect(await client.channel()).toMatchObject({ status: 'open', ...figures })
  expect(await client.closeChannel()).toMatchObject({ status: 'closing', charged: 300n })
  await client.chat(hello)
  expect(payments()).toEqual(['deposit 200', 'voucher 200', 'refund 200', 'exact 200'])
  expect(client.spent()).toBe(300n + ceiling)
})

test('a client without state closes its channel', async () => {
  await connect().chat(hello)
  expect(await connect().closeChannel()).toMatchObject({ status: 'closing', charged: 300n })
  expect(payments()).toEqual(['deposit 200', 'refund 402', 'refund 200'])
})

test('a refusal of the channel endpoint is an error with its reason', async () => {
  const client = connect()
  await client.chat(hello)
  gateway().refusal = 'refund_too_early'
  await expect(client.closeChannel()).rejects.toMatchObject({
    code: 'channel_refused',
    message: 'Refused: refund_too_early.',
  })
  await expect(client.topUp(atomicUsdc(5_000n))).rejects.toMatchObject({ code: 'channel_refused' })
  const tooMuch: Usdc = atomicUsdc(20_000_000n)
  await expect(client.topUp(tooMuch)).rejects.toMatchObject({ code: 'spend_cap_exceeded' })
})

test.each([
  [{ deposit: atomicUsdc(0n) }, /deposit/],
  [{ after: -1 }, /after/],
  [{ salt: '0x12' as const }, /salt/],
])('the option %o is rejected', (channel, message) => {
  expect(() => connect({ channel })).toThrow(message)
})
