import { expect, test, vi } from 'vitest'
import type { ChannelOffer } from '../../src/channel/channel-offer.ts'
import { createOpenChannels } from '../../src/channel/open-channels.ts'
import { paymentNetworks } from '../../src/pay/payment-network.ts'

const address = `0x${'11'.repeat(20)}` as const
const offer = {
  network: paymentNetworks.base,
  receiver: address,
  receiverAuthorizer: address,
  withdrawDelay: 86_400,
} satisfies Partial<ChannelOffer> as unknown as ChannelOffer

test('a channel is kept by one save at a time, also while a call waits for it', async () => {
  const firstSave = Promise.withResolvers<undefined>()
  const save = vi.fn(async () => await firstSave.promise)
  const channels = createOpenChannels({
    payer: address,
    gateway: 'https://gateway.test',
    salt: `0x${'00'.repeat(32)}`,
    store: { load: async () => undefined, save },
    reserve: async () => undefined,
  })
  const channel = await channels.of(offer)
  channel.save()
  const saved = channel.saved()
  channel.save()
  await new Promise(setImmediate)
  expect(save).toHaveBeenCalledTimes(1)
  firstSave.resolve(undefined)
  await saved
  await channel.saved()
  expect(save).toHaveBeenCalledTimes(2)
})
