import { expect, test } from 'vitest'
import {
  applyToChannel,
  channelEvents,
  channelId,
  channelOf,
  ended,
  held,
  opened,
} from '../../src/conformance/channels/channel-fixtures.ts'
import { listed } from '../../src/conformance/fixtures.ts'
import { channelLine, createMemoryStore, movementLine } from '../../src/index.ts'

test('a channel is exported as plain JSON with its parts, and without its voucher', async () => {
  const store = createMemoryStore()
  await opened(store, 1)
  await ended(store, await held(store, 1, { number: 1, max: 1_000n }), 400n)
  const line = channelLine(await channelOf(store, 1))
  expect(JSON.parse(JSON.stringify(line))).toEqual(line)
  expect(line).toMatchObject({
    id: channelId(1),
    status: 'open',
    deposited: '10000',
    charged: '400',
    claimable: '400',
    refundable: '9600',
    unclaimedSince: '2023-11-14T22:13:23.000Z',
  })
  expect('signature' in line).toBe(false)
})

test('a movement is exported with one entry for each account', async () => {
  const store = createMemoryStore()
  await opened(store, 1)
  await applyToChannel(store, 1, [channelEvents.returned('withdrawal', 300n)])
  const [booked] = await listed(store.exportMovements())
  if (booked === undefined) throw new Error('the movement is missing')
  const line = movementLine(booked.movement, booked.entries)
  expect(JSON.parse(JSON.stringify(line))).toEqual(line)
  const at = '2023-11-14T22:13:26.000Z'
  expect(line).toMatchObject({
    kind: 'withdrawal',
    amount: '300',
    lost: false,
    at,
    entries: [
      { account: 'payer_channel', debit: '300', credit: '0', at },
      { account: 'escrow', debit: '0', credit: '300', at },
    ],
  })
})
