import { expect, test } from 'vitest'
import type { ChannelStore, FareboxClient, StoredChannel } from '../../src/index.ts'
import { channelClient, hello } from '../support/channel-client.ts'
import { channelGatewayForEachTest } from '../support/channel-gateway-for-each-test.ts'

const gateway = channelGatewayForEachTest()

/** A channel that an earlier process paid three calls from, and what that process stored last. */
async function clientAfter(change: (charged: bigint) => bigint): Promise<FareboxClient> {
  let kept: StoredChannel | undefined
  const store: ChannelStore = {
    load: async () => kept,
    async save(channel) {
      kept = channel
    },
  }
  const earlier = channelClient(gateway(), { channel: { after: 0, store } })
  for (let made = 0; made < 3; made += 1) await earlier.chat(hello)
  if (kept === undefined) throw new Error('nothing was stored')
  kept = { ...kept, charged: change(BigInt(kept.charged)).toString() }
  return channelClient(gateway(), { channel: { after: 0, store } })
}

const stored: readonly (readonly [string, (charged: bigint) => bigint])[] = [
  ['as it was', (charged) => charged],
  ['without the last two calls', (charged) => charged - 600n],
  ['with a call at its price, whose cost it did not learn', (charged) => charged + 700n],
]

/** A stream states what its call cost, also while others are under way. */
async function call(client: FareboxClient): Promise<void> {
  await Array.fromAsync(await client.chatStream(hello))
}

test.each(stored)(
  'calls of an earlier process are not spent by this one: stored %s',
  async (_, change) => {
    const client = await clientAfter(change)
    expect(client.spent()).toBe(0n)
    await call(client)
    expect(client.spent()).toBe(300n)
    await call(client)
    expect(client.spent()).toBe(600n)
  },
)

test.each(stored)('nor are they by one that calls in parallel: stored %s', async (_, change) => {
  const client = await clientAfter(change)
  await Promise.all(Array.from({ length: 5 }, async () => await call(client)))
  await call(client)
  expect(client.spent()).toBe(6n * 300n)
})
