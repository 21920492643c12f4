import { atomicUsdc } from '@farebox/money'
import { expect, test } from 'vitest'
import { askedDeposit, ceiling } from '../../../../scripts/testing/channel-gateway.ts'
import type { FareboxClient } from '../../src/index.ts'
import { account, channelClient, hello, paymentsTo } from '../support/channel-client.ts'
import { channelGatewayForEachTest } from '../support/channel-gateway-for-each-test.ts'

const gateway = channelGatewayForEachTest()

type TypedData = Parameters<typeof account.signTypedData>[0]

/** A wallet that leaves requests open while it is silent; `answer` signs them after all. */
function wallet() {
  const open: (() => void)[] = []
  const asked = Promise.withResolvers<undefined>()
  const state = { isSilent: true }
  return {
    state,
    asked: asked.promise,
    answer: () => {
      for (const sign of open.splice(0)) sign()
    },
    account: {
      address: account.address,
      async signTypedData(data: TypedData) {
        asked.resolve(undefined)
        if (state.isSilent) await new Promise<void>((resolve) => open.push(resolve))
        return await account.signTypedData(data)
      },
    },
  }
}

type Paying = (client: FareboxClient, signal?: AbortSignal) => Promise<unknown>

const payments: [string, { readonly after: number }, Paying][] = [
  [
    'a call',
    { after: 9 },
    async (client, signal) => await client.chat(hello, { ...(signal && { signal }) }),
  ],
  [
    'the deposit of a call',
    { after: 0 },
    async (client, signal) => await client.chat(hello, { ...(signal && { signal }) }),
  ],
  [
    'a top-up',
    { after: 0 },
    async (client, signal) =>
      await client.topUp(atomicUsdc(askedDeposit), { ...(signal && { signal }) }),
  ],
  [
    'the closing of a channel',
    { after: 0 },
    async (client, signal) => await client.closeChannel({ ...(signal && { signal }) }),
  ],
]

test.each(payments)(
  '%s that is aborted while the wallet is silent blocks no other',
  async (...row) => {
    const [, channel, pay] = row
    const { account: payer, state, asked, answer } = wallet()
    const client = channelClient(gateway(), {
      account: payer,
      channel,
      maxTotal: atomicUsdc(askedDeposit),
    })
    const aborted = new AbortController()
    const silent = pay(client, aborted.signal)
    await asked
    const waiting = new AbortController()
    const behind = client.chat(hello, { signal: waiting.signal })
    waiting.abort(new Error('left'))
    await expect(behind).rejects.toThrow('left')
    aborted.abort(new Error('enough'))
    await expect(silent).rejects.toThrow('enough')
    expect(client.spent()).toBe(0n)
    state.isSilent = false
    await client.chat(hello)
    answer()
    await client.chat(hello)
    expect(paymentsTo(gateway())).toHaveLength(2)
    expect(client.spent()).toBeLessThanOrEqual(2n * ceiling)
  },
)

test.each(payments)('%s is given up when the wallet does not sign in time', async (...row) => {
  const [, channel, pay] = row
  const { account: payer, state } = wallet()
  const client = channelClient(gateway(), { account: payer, channel, signatureSeconds: 0.05 })
  await expect(pay(client)).rejects.toMatchObject({
    code: 'signature_timeout',
    message: 'The wallet did not sign within 0.05 s. Nothing was paid.',
  })
  expect(client.spent()).toBe(0n)
  expect(gateway().paid).toEqual([])
  state.isSilent = false
  await client.chat(hello)
  expect(paymentsTo(gateway())).toHaveLength(1)
})

test('a wallet may have no limit', async () => {
  const { account: payer, state, asked, answer } = wallet()
  const client = channelClient(gateway(), {
    account: payer,
    signatureSeconds: Number.POSITIVE_INFINITY,
  })
  const call = client.chat(hello)
  await asked
  state.isSilent = false
  answer()
  await expect(call).resolves.toBeDefined()
})

test('calls in parallel end one after the other while the wallet is silent', async () => {
  const { account: payer } = wallet()
  const client = channelClient(gateway(), { account: payer, signatureSeconds: 0.05 })
  const calls = await Promise.allSettled([1, 2, 3].map(async () => await client.chat(hello)))
  expect(calls).toEqual(
    Array(3).fill({
      status: 'rejected',
      reason: expect.objectContaining({ code: 'signature_timeout' }),
    }),
  )
  expect(client.spent()).toBe(0n)
})
