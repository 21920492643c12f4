import { atomicUsdc } from '@farebox/money'
import { expect, test } from 'vitest'
import type { FareboxClient, FareboxClientOptions } from '../../src/index.ts'
import { channelClient } from '../support/channel-client.ts'
import { channelGatewayForEachTest } from '../support/channel-gateway-for-each-test.ts'

const gateway = channelGatewayForEachTest()

function connect(options: Partial<FareboxClientOptions> = {}): FareboxClient {
  return channelClient(gateway(), options)
}

const endpoints: [string, (client: FareboxClient) => Promise<unknown>][] = [
  ['/v1/channel', async (client) => await client.channel()],
  ['/v1/channels/', async (client) => await client.channel()],
  ['/v1/channel', async (client) => await client.closeChannel()],
]

test.each(endpoints)('trouble at %s is named, and is not the lack of a channel', async (...row) => {
  const [path, ask] = row
  const unavailable = { message: 'Down.', type: 'service_unavailable', code: 'starting' }
  for (const [status, body, code] of [
    [429, { error: 'Too many requests', code: 'RATE_LIMITED' }, 'RATE_LIMITED'],
    [503, { error: unavailable }, 'starting'],
  ] as const) {
    const client = connect({
      fetch: async (input, init) =>
        new Request(input).url.includes(path)
          ? Response.json(body, { status })
          : await fetch(input, init),
    })
    await expect(ask(client)).rejects.toMatchObject({ code, status })
  }
})

test('a top-up that the gateway does not decide keeps the code of the gateway', async () => {
  const client = connect({
    patienceSeconds: 0,
    fetch: async (input, init) =>
      new Headers(init?.headers).has('payment-signature')
        ? Response.json(
            { statusCode: 503, code: 'settlement_unknown', message: 'Ask again.' },
            { status: 503 },
          )
        : await fetch(input, init),
  })
  await expect(client.topUp(atomicUsdc(5_000n))).rejects.toMatchObject({
    code: 'settlement_unknown',
    message: 'Ask again.',
  })
})
