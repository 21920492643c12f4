import { atomicUsdc } from '@farebox/money'
import { expect, test } from 'vitest'
import { isBeyondChannel } from '../../src/channel/call-limits.ts'

test('what is charged, in flight and asked for, less what is claimed, may reach the limit of a channel', () => {
  const channel = {
    charged: atomicUsdc(700n),
    reserved: atomicUsdc(200n),
    claimed: atomicUsdc(400n),
  }
  const isBeyond = (amount: bigint): boolean =>
    isBeyondChannel(channel, atomicUsdc(amount), { ofChannel: atomicUsdc(1_000n) })
  expect([isBeyond(500n), isBeyond(501n)]).toEqual([false, true])
})
