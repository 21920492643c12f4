import { createMemoryStore, type Hex } from '@farebox/ledger'
import { hexOf, type Log } from '../chain.ts'
import { finalConfirmations } from '../replica.ts'
import type { SimContext } from '../sim-context.ts'
import { collector } from './channel-payer.ts'

/**
 * Claims what channels were charged, from time to time: a claim publishes a voucher when it is sent,
 * and is booked once its block is final.
 */
export function runClaims(context: SimContext, treasury: Hex): void {
  const { world, disk } = context
  const store = createMemoryStore({ disk })
  const claiming = new Set<Hex>()

  async function claim(channelId: Hex): Promise<void> {
    const published = await store.publishVoucher(channelId)
    if (published === undefined) return
    const { channel, voucher } = published
    const total = channel.charged
    if (voucher.max < total) throw new Error('the published voucher does not cover the charges')
    context.count('channel: claim sent')
    const nonce = hexOf(context.world.random.whole(1, 2 ** 31), 32)
    const log = await finalLog(context, { from: treasury, nonce })
    // The contract refuses a claim of more than was deposited by then.
    if (depositsBefore(context, channel.config.payer, log) < total) {
      context.count('channel: claim reverted')
      return
    }
    context.count('channel: claim booked')
    const event = { type: 'claim_proven', total, proof: log.proof, at: world.now() } as const
    await store.applyToChannel(channel, event)
  }

  function round(): void {
    for (const { id, charged, claimed } of disk.channels.values()) {
      if (charged === claimed || claiming.has(id)) continue
      claiming.add(id)
      void claim(id).finally(() => claiming.delete(id))
    }
    world.after(10_000, round)
  }
  world.after(10_000, round)
}

function depositsBefore({ chain }: SimContext, payer: Hex, { proof }: Log): bigint {
  return chain.logs().reduce((sum, { call, proof: { block } }) => {
    const isDeposit = call.kind === 'transfer' && call.to === collector && call.from === payer
    return isDeposit && block <= proof.block ? sum + call.value : sum
  }, 0n)
}

/** Sends it until it is in a block that nothing undoes. The call stands for a claim: it moves no token. */
async function finalLog(
  { world, chain }: SimContext,
  { from, nonce }: { readonly from: Hex; readonly nonce: Hex },
) {
  for (;;) {
    const log = chain.use(from, nonce)
    if (log === undefined) chain.broadcast([{ kind: 'cancel', from, nonce }])
    else if (chain.head().number - log.proof.block >= finalConfirmations) return log
    await world.pause(4_000)
  }
}
