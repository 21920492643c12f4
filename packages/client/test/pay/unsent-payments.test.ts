import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atomicUsdc } from '@farebox/money'
import { expect, test } from 'vitest'
import type { FareboxClient, FareboxClientOptions } from '../../src/index.ts'
import { account, channelClient, hello, paymentsTo } from '../support/channel-client.ts'
import { channelGatewayForEachTest } from '../support/channel-gateway-for-each-test.ts'

const gateway = channelGatewayForEachTest()

type TypedData = Parameters<typeof account.signTypedData>[0]

/** A wallet whose owner takes the time until `confirm` is called. */
function slowWallet(): Required<Pick<FareboxClientOptions, 'account'>> & {
  readonly asked: Promise<undefined>
  confirm(): void
} {
  const asked = Promise.withResolvers<undefined>()
  const confirmed = Promise.withResolvers<undefined>()
  return {
    account: {
      address: account.address,
      async signTypedData(data: TypedData) {
        asked.resolve(undefined)
        await confirmed.promise
        return await account.signTypedData(data)
      },
    },
    asked: asked.promise,
    confirm: () => confirmed.resolve(undefined),
  }
}

type Signer = { signTypedData(data: never): Promise<`0x${string}`> }

/** An account that signs with `signer`, which a test may replace. */
function changingWallet() {
  const wallet = {
    signer: account as Signer,
    account: {
      address: account.address,
      signTypedData: async (data: TypedData): Promise<`0x${string}`> =>
        await wallet.signer.signTypedData(data as never),
    },
  }
  return wallet
}

test.each([
  ['a payment', { after: 9 }, 'exact 200', 1_000n],
  ['a deposit', { after: 0 }, 'deposit 200', 300n],
])('%s whose signing is aborted is not sent and does not count', async (...row) => {
  const [, channel, next, cost] = row
  const wallet = slowWallet()
  const aborted = new AbortController()
  const client = channelClient(gateway(), { account: wallet.account, channel })
  const call = client.chat(hello, { signal: aborted.signal })
  await wallet.asked
  aborted.abort(new Error('enough'))
  await expect(call).rejects.toThrow('enough')
  wallet.confirm()
  await expect.poll(() => client.spent()).toBe(0n)
  expect(paymentsTo(gateway())).toEqual([])
  await client.chat(hello)
  expect(paymentsTo(gateway())).toEqual([next])
  expect(client.spent()).toBe(cost)
})

test('a voucher whose signing is aborted is not sent, and its sum is promised again', async () => {
  const payer = changingWallet()
  const client = channelClient(gateway(), { account: payer.account })
  await client.chat(hello)
  const wallet = slowWallet()
  payer.signer = wallet.account
  const aborted = new AbortController()
  const call = client.chat(hello, { signal: aborted.signal })
  await wallet.asked
  aborted.abort(new Error('enough'))
  await expect(call).rejects.toThrow('enough')
  wallet.confirm()
  await expect.poll(() => client.spent()).toBe(300n)
  payer.signer = account
  await client.chat(hello)
  expect(gateway().paid.map(({ max }) => max)).toEqual([1_000n, 1_300n])
})

test('a call is aborted at once while the wallet signs the correction of its voucher', async () => {
  const payer = changingWallet()
  const client = channelClient(gateway(), { account: payer.account })
  await client.chat(hello)
  const slow = slowWallet()
  // Another client of this payer has used the channel: the next voucher is corrected.
  for (const channel of gateway().channels.values()) channel.charged += 500n
  gateway().forge = (extra) => {
    payer.signer = slow.account
    return extra
  }
  const aborted = new AbortController()
  const call = client.chat(hello, { signal: aborted.signal })
  await slow.asked
  aborted.abort(new Error('enough'))
  await expect(call).rejects.toThrow('enough')
  slow.confirm()
  expect(paymentsTo(gateway())).toEqual(['deposit 200', 'voucher 402'])
})

const paidActions: [string, (client: FareboxClient) => Promise<unknown>][] = [
  ['a call', async (client) => await client.chat(hello)],
  ['a deposit', async (client) => await client.topUp(atomicUsdc(5_000n))],
  ['the closing of a channel', async (client) => await client.closeChannel()],
]

test.each(paidActions)(
  '%s is not signed for a server that was reached by a redirect',
  async (...row) => {
    const [, pay] = row
    const redirecting = await redirectTo(gateway().url)
    let signed = 0
    const payer = {
      address: account.address,
      async signTypedData(data: TypedData) {
        signed += 1
        return await account.signTypedData(data)
      },
    }
    const client = channelClient({ url: urlOf(redirecting) }, { account: payer })
    await expect(pay(client)).rejects.toMatchObject({
      code: 'invalid_response',
      message: `The server redirected the request to ${gateway().url}. Payments do not follow redirects: use the URL of that server. Nothing was paid.`,
    })
    expect(signed).toBe(0)
    expect(client.spent()).toBe(0n)
    redirecting.close()
  },
)

async function redirectTo(target: string): Promise<Server> {
  const server = createServer(({ url = '' }, response) => {
    response.writeHead(308, { location: `${target}${url}` }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('an abort as the paid response arrives does not lose the response', async () => {
  const aborted = new AbortController()
  const client = channelClient(gateway(), {
    async fetch(input, init) {
      const response = await fetch(input, { ...init, signal: null })
      if (response.ok) aborted.abort()
      return response
    },
  })
  const init = { method: 'POST', body: JSON.stringify(hello), signal: aborted.signal }
  const response = await client.fetch('/v1/chat/completions', init)
  expect(response.status).toBe(200)
  expect(client.spent()).toBe(300n)
})
