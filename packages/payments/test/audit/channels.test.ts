import { type Devnet, startDevnet } from '@farebox/devnet'
import type { ChannelMovement } from '@farebox/ledger'
import { audit } from '@farebox/payments'
import { createChannelChain } from '@farebox/payments/chain'
import { expect, test } from 'vitest'
import { buyFirst, type ChannelLane, openLane } from '../support/channel-lane.ts'
import { network } from '../support/pay.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
const { open, payer } = testPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})

/** Audits the chain against a ledger without the movements of one kind. */
async function auditWithout({ paywall }: ChannelLane, kind: ChannelMovement['kind'] | null) {
  const { store, chain } = paywall
  const known: Pick<typeof store, 'exportChannels' | 'exportMovements'> = {
    exportChannels: () => store.exportChannels(),
    async *exportMovements() {
      for await (const row of store.exportMovements()) if (row.movement.kind !== kind) yield row
    },
  }
  const channelChain = createChannelChain({ rpcUrl: devnet.rpcUrl, network })
  return await audit({
    store,
    chain,
    channels: { store: known, channelChain },
    asset: network.usdc,
    treasury: devnet.treasury.address,
    fromBlock: 0,
  })
}

test('channels match the contract to the unit, and what is missing in the ledger is named', async () => {
  const lane = openLane(open)
  await buyFirst(lane, payer(0), 4_000n)
  await lane.rounds.runOnce()
  expect(await auditWithout(lane, null)).toMatchObject({
    channels: 1,
    received: 4_000n,
    explained: [],
    unexplained: [],
  })
  const recent = await auditWithout(lane, 'claim')
  expect(recent).toMatchObject({ unexplained: [], explained: [{ kind: 'channel_in_progress' }] })

  await devnet.mine(64)
  const forgotten = await auditWithout(lane, 'claim')
  expect(forgotten.unexplained).toMatchObject([{ kind: 'channel_differs', amount: 4_000n }])
  const unsettled = await auditWithout(lane, 'settle')
  expect(unsettled.explained).toMatchObject([{ kind: 'suspense', amount: 4_000n }])
})
