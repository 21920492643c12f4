import type { Hex } from '@farebox/ledger'
import { hexOf } from '../chain.ts'
import type { Replica, ServeOutcome } from '../replica.ts'
import type { SimContext } from '../sim-context.ts'
import {
  type ChannelPayer,
  type PaidCall,
  requestWith,
  signChannelCall,
  takeCorrection,
  takeReceipt,
} from './channel-payer.ts'

type Buyers = { readonly context: SimContext; readonly replicas: () => readonly Replica[] }

/** Lets each payer call again and again, and thieves present its vouchers. Returns how many go on. */
export function startChannelPayers(buyers: Buyers, payers: readonly ChannelPayer[]): () => number {
  const { world } = buyers.context
  let open = 0
  for (const payer of payers) {
    open += 1
    world.after(world.random.whole(0, 20_000), () => {
      void callAgain(buyers, payer).finally(() => {
        open -= 1
      })
    })
  }
  return () => open
}

async function callAgain(buyers: Buyers, payer: ChannelPayer): Promise<void> {
  const { context } = buyers
  const { random } = context.world
  const rounds = random.whole(4, 10)
  for (let round = 0; round < rounds; round += 1) {
    const isParallel = random.chance(context.faults().client / 2)
    const calls = isParallel ? random.whole(2, 4) : 1
    if (isParallel) context.count('channel: parallel calls')
    await Promise.all(Array.from({ length: calls }, () => makeCall(buyers, payer)))
    if (random.chance(context.faults().client)) await steal(buyers, payer)
    await context.world.pause(random.whole(100, 9_000))
  }
}

/** Pays for one request: corrected, it signs again once; without an answer, it repeats the same bytes. */
async function makeCall(buyers: Buyers, payer: ChannelPayer): Promise<void> {
  const { context } = buyers
  const { random } = context.world
  const manner = random.chance(context.faults().client / 4) ? 'overdraws' : 'deposits'
  const ceiling = BigInt(random.whole(500, 5_000))
  const asked = { ceiling, digest: digestOf(random.bytes(32)), manner } as const
  if (manner === 'overdraws') context.count('channel: voucher without a deposit')
  let call = await signChannelCall(context, payer, asked)
  misbehave(context, call)
  let corrections = 0
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const outcome = await send(buyers, call)
    context.count(`channel: ${outcome === 'none' ? 'no answer' : outcome.status}`)
    if (outcome !== 'none') {
      if ('headers' in outcome) {
        takeReceipt(payer, call, outcome.headers)
        return
      }
      const { admission } = outcome
      if (admission.status === 'rejected' || admission.status === 'required') {
        const next = takeCorrection(context, payer, admission.headers)
        corrections += 1
        if (next === 'refused' || corrections > 1) return
        call = await signChannelCall(context, payer, asked)
        continue
      }
    }
    // It leaves, and counts neither what it was charged nor what it deposited.
    if (random.chance(context.faults().client / 4)) return
    await context.world.pause(random.whole(500, 5_000))
  }
}

async function send(
  { context, replicas }: Buyers,
  { request }: PaidCall,
): Promise<ServeOutcome | 'none'> {
  const { world } = context
  const [first, ...rest] = replicas()
  if (first === undefined) return 'none'
  const manner = world.random.chance(context.faults().client / 6) ? 'leaves' : 'stays'
  const served = world.random
    .pick([first, ...rest])
    .serve(request, manner)
    .then(
      (outcome): ServeOutcome | 'none' => outcome,
      (): ServeOutcome | 'none' => 'none',
    )
  return await Promise.race([served, world.pause(25_000).then((): 'none' => 'none')])
}

/** A thief presents the vouchers of a payer: claims publish them, and logs and proxies see them. */
async function steal(buyers: Buyers, payer: ChannelPayer): Promise<void> {
  const { context } = buyers
  const { random } = context.world
  const channel = context.disk.channels.get(payer.channelId)
  const voucher = payer.vouchers[random.whole(0, payer.vouchers.length - 1)]
  if (channel === undefined || voucher === undefined) return
  const spent = channel.charged + channel.reserved
  const kind = random.pick(['tuned', 'another price'] as const)
  const tuned = voucher.max - spent
  const ceiling = kind === 'tuned' && tuned > 0n ? tuned : BigInt(random.whole(1, 5_000))
  context.count(`channel: stolen voucher, ${kind}`)
  const payload = { type: 'voucher', channelConfig: payer.config, voucher: voucher.wire }
  const digest = digestOf(random.bytes(32))
  const request = requestWith(payload, { ceiling, digest })
  const outcome = await send(buyers, {
    request,
    ceiling,
    base: voucher.max - ceiling,
    deposit: null,
  })
  if (outcome !== 'none') context.count(`channel: stolen voucher ${outcome.status}`)
}

/** What a payer can do with its deposit outside the gateway. */
function misbehave(context: SimContext, { deposit }: PaidCall): void {
  const { world, chain, faults } = context
  const { random } = world
  if (deposit === null || !random.chance(faults().client / 2)) return
  const action = random.pick(['cancel', 'execute', 'empty', 'twin'] as const)
  context.count(`channel: deposit, ${action}`)
  world.after(random.whole(0, 8_000), () => {
    const { from, nonce } = deposit
    const value = chain.balance(from)
    const spent = digestOf(random.bytes(32))
    if (action === 'cancel') chain.broadcast([{ kind: 'cancel', from, nonce }])
    if (action === 'execute') chain.broadcast([deposit])
    if (action === 'twin') chain.broadcast([{ ...deposit, to: elsewhere }])
    if (action === 'empty' && value > 0n) {
      chain.broadcast([{ ...deposit, to: elsewhere, nonce: `0x${spent}`, value }])
    }
  })
}

const elsewhere: Hex = hexOf(0xe15e, 20)

function digestOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
