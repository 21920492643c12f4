import { expect, test } from 'vitest'
import { createChannelRounds } from '../../src/channel-chain/channel-rounds.ts'
import { channelIdOf, channelRecord, channelWorld, start } from '../support/channel-world.ts'

test('a pending withdrawal and charges of a day are claimed although the logs cannot be read', async () => {
  const { ports, sent, channelNow } = channelWorld([
    channelRecord({ withdrawAt: 1_900 }),
    channelRecord({ id: channelIdOf(2), unclaimedSince: start - 24 * 3_600_000 }),
    channelRecord({ id: channelIdOf(3), status: 'closing', unclaimedSince: start }),
  ])
  const logs = async () => Promise.reject(new Error('no logs'))
  const channelChain = { ...ports.channelChain, logs }
  const rounds = createChannelRounds({ ...ports, channelChain })
  await expect(rounds.runOnce()).rejects.toThrow('no logs')
  expect(sent).toEqual([[channelIdOf(1)], [channelIdOf(2)]])
  expect(await channelNow()).toMatchObject({ withdrawAt: 1_900 })
  expect(await rounds.obstacle()).toBe('channels_not_watched')
})
