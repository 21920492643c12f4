import { atomicUsdc } from '@farebox/money'
import { expect, test } from 'vitest'
import { askedDeposit } from '../../../../scripts/testing/channel-gateway.ts'
import type { ChannelStore, FareboxClient, FareboxClientOptions } from '../../src/index.ts'
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

test('a store that cannot be read is an error, and is read again by the next call', async () => {
  let reads = 0
  const store: ChannelStore = {
    save: async () => undefined,
    load: async () => {
      reads += 1
      if (reads === 1) throw new Error('disk busy')
      return undefined
    },
  }
  const client = connect({ channel: { after: 0, store } })
  await expect(client.chat(hello)).rejects.toMatchObject({
    code: 'channel_store_failed',
    message: 'The payment channel could not be read from its store; nothing was paid. disk busy',
  })
  await client.chat(hello)
  expect(payments()).toEqual(['deposit 200'])
})

test('a deposit whose response breaks off does not block the channel', async () => {
  const client = connect()
  gateway().serve = async (_, response) => {
    gateway().serve = async () => undefined
    response.writeHead(500, { 'content-length': '100' })
    await new Promise((resolve) => response.write('{', resolve))
    response.destroy()
  }
  await expect(client.chat(hello)).rejects.toMatchObject({ code: 'connection_lost' })
  await client.chat(hello)
  expect(payments().at(-1)).toBe('voucher 200')
})

test('a deposit that the signer rejects is not counted', async () => {
  let signed = 0
  const client = connect({
    maxTotal: atomicUsdc(askedDeposit),
    account: {
      address: account.address,
      signTypedData: async (data: Parameters<typeof account.signTypedData>[0]) => {
        signed += 1
        if (signed === 1) throw new Error('rejected')
        return await account.signTypedData(data)
      },
    },
  })
  const deposit = atomicUsdc(askedDeposit)
  await expect(client.topUp(deposit)).rejects.toMatchObject({ code: 'no_acceptable_payment' })
  await expect(client.topUp(deposit)).resolves.toMatchObject({ deposited: askedDeposit })
})

test('a top-up that is not an amount is refused', async () => {
  const client = connect()
  for (const amount of [5_000, -5_000n, 0n, null]) {
    await expect(client.topUp(amount as never)).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringMatching(/^amount must be an amount .* above 0, such as/),
    })
  }
  expect(payments()).toEqual([])
})

test('deposits stay within the caps, although the gateway states that the channel is empty', async () => {
  const client = connect({ maxTotal: atomicUsdc(2n * askedDeposit + 2_000n) })
  for (let calls = 0; calls < 4; calls += 1) {
    await client.chat(hello)
    for (const channel of gateway().channels.values()) channel.balance = channel.charged
  }
  expect(payments().filter((payment) => payment.endsWith(' 200'))).toEqual([
    'deposit 200',
    'deposit 200',
    'exact 200',
    'exact 200',
  ])
  await expect(client.chat(hello)).rejects.toMatchObject({ code: 'spend_cap_exceeded' })
})

test('a false cost of a call that failed is counted up to its price, and no more is promised', async () => {
  const client = connect()
  await client.chat(hello)
  gateway().serve = async (_, response) => {
    gateway().serve = async () => undefined
    const payment = { cost: { usdc: '15000', usd: '0.015' } }
    response.writeHead(500).end(JSON.stringify({ error: { message: 'no' }, payment }))
  }
  await expect(client.chat(hello)).rejects.toMatchObject({ status: 500 })
  expect(client.spent()).toBe(1_300n)
  await client.chat(hello)
  expect(gateway().paid.map(({ max }) => max)).toEqual([1_000n, 1_300n, 2_300n])
})

test('a deposit whose signing was aborted is not sent and does not count', async () => {
  const aborted = new AbortController()
  const client = connect({
    maxTotal: atomicUsdc(askedDeposit),
    account: {
      address: account.address,
      signTypedData: async (data: Parameters<typeof account.signTypedData>[0]) => {
        aborted.abort(new Error('enough'))
        return await account.signTypedData(data)
      },
    },
  })
  const deposit = atomicUsdc(askedDeposit)
  await expect(client.topUp(deposit, { signal: aborted.signal })).rejects.toThrow('enough')
  expect(payments()).toEqual([])
  await expect(client.topUp(deposit)).resolves.toMatchObject({ deposited: askedDeposit })
})

/** A call that ends without a word about its payment, although the gateway has served it. */
const failures: [string, (client: FareboxClient) => Promise<unknown>][] = [
  [
    'are aborted after they were sent',
    async (client) => {
      const aborted = new AbortController()
      gateway().serve = async () => aborted.abort(new Error('enough'))
      await client.chat(hello, { signal: aborted.signal })
    },
  ],
  [
    'a proxy answers in place of the gateway',
    async (client) => {
      gateway().serve = async (_, response) => {
        response.writeHead(502).end('Bad Gateway')
      }
      await client.chat(hello)
    },
  ],
]

test.each(failures)(
  'calls that %s need no further deposit once their cost is known',
  async (...row) => {
    const [, failingCall] = row
    const client = connect({ patienceSeconds: 0 })
    await client.chat(hello)
    // At their price, these are more than the deposit.
    for (let call = 0; call < 25; call += 1) await expect(failingCall(client)).rejects.toThrow()
    gateway().serve = async () => undefined
    await client.chat(hello)
    expect(gateway().paid.filter(({ deposit }) => deposit > 0n)).toHaveLength(1)
  },
)

test('after a call that was aborted, the cost of the next is known', async () => {
  const client = connect()
  await client.chat(hello)
  const aborted = new AbortController()
  gateway().serve = async () => aborted.abort(new Error('enough'))
  await expect(client.chat(hello, { signal: aborted.signal })).rejects.toThrow('enough')
  gateway().serve = async () => undefined
  expect(client.spent()).toBe(1_300n)
  await client.chat(hello)
  expect(client.spent()).toBeLessThanOrEqual(1_600n)
})

test('later calls promise nothing for a deposit whose response was lost', async () => {
  let isLost = true
  const client = connect({
    patienceSeconds: 0,
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      const isPaid = new Headers(init?.headers).has('payment-signature')
      if (!isPaid || !isLost) return response
      isLost = false
      throw new TypeError('lost')
    },
  })
  await expect(client.topUp(atomicUsdc(5_000n))).rejects.toMatchObject({ code: 'connection_lost' })
  await client.chat(hello)
  await client.chat(hello)
  expect(
    gateway()
      .paid.slice(-2)
      .map(({ max }) => max),
  ).toEqual([1_000n, 1_300n])
})

test('figures of a channel that returned more than it got are not believed', async () => {
  const amount = (usdc: string): object => ({ usdc })
  const client = connect({
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      if (!response.url.includes('/v1/channels/')) return response
      const stated = (await response.json()) as Record<string, unknown>
      return Response.json({ ...stated, deposited: amount('0'), returned: amount('1') })
    },
  })
  await client.chat(hello)
  await expect(client.channel()).rejects.toMatchObject({ code: 'invalid_response' })
})
