import type { Hex } from '@farebox/ledger'
import { hexOf } from '../chain.ts'
import { noFaults } from '../faults.ts'
import type { Replica, ServeOutcome } from '../replica.ts'
import type { SimContext } from '../sim-context.ts'
import type { ChannelChecker } from './channel-checker.ts'
import { delayPart, refundTerms } from './channel-contract.ts'
import {
  type ChannelPayer,
  onChain,
  type PaidCall,
  requestWith,
  type SignedVoucher,
  signChannelCall,
  signRefundRequest,
  takeCorrection,
  takeReceipt,
} from './channel-payer.ts'
import { signatureOf } from './channel-ports.ts'
import { attackChannel } from './hostile-moves.ts'

type Buyers = {
  readonly context: SimContext
  readonly checker: Pick<ChannelChecker, 'onTheft'>
  readonly replicas: () => readonly Replica[]
  /** What payers do between their calls. */
  readonly manners: 'stock' | 'hostile'
}

/** Lets each payer call again and again, and thieves present its vouchers. Returns how many continue. */
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
  await callFor(buyers, payer, random.whole(4, 10))
  // Half of them end their channel once everything works again.
  if (random.chance(0.5)) return
  while (context.faults() !== noFaults) await context.world.pause(5_000)
  await callFor(buyers, payer, random.whole(1, 3))
  await (random.chance(0.6) ? withdraw(buyers, payer) : askRefund(buyers, payer))
}

async function callFor(buyers: Buyers, payer: ChannelPayer, rounds: number): Promise<void> {
  const { context } = buyers
  const { random } = context.world
  for (let round = 0; round < rounds; round += 1) {
    const isParallel = random.chance(context.faults().client / 2)
    const calls = isParallel ? random.whole(2, 4) : 1
    if (isParallel) context.count('channel: parallel calls')
    await Promise.all(Array.from({ length: calls }, () => makeCall(buyers, payer)))
    if (buyers.manners === 'hostile') await attackChannel({ ...buyers, payer })
    if (random.chance(context.faults().client)) await steal(buyers, payer)
    if (random.chance(context.faults().client / 3)) {
      const inFlight = random.chance(0.5) ? makeCall(buyers, payer) : undefined
      await context.world.pause(random.whole(100, 3_000))
      await askRefund(buyers, payer)
      await inFlight
    }
    if (random.chance(context.faults().client / 6)) {
      // It keeps calling meanwhile.
      const ending = withdraw(buyers, payer)
      if (random.chance(0.3)) await ending
    }
    if (random.chance(context.faults().client / 25)) stealKey(buyers, payer)
    if (random.chance(context.faults().client / 25) && !payer.isPoisoned) {
      context.count('channel: vouchers that the contract refuses')
      payer.isPoisoned = true
    }
    await context.world.pause(random.whole(100, 9_000))
  }
}

/** Asks for the rest, as `scheme.refund` does. */
async function askRefund({ context, replicas }: Buyers, payer: ChannelPayer): Promise<void> {
  const { world } = context
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const [first, ...rest] = replicas()
    const request = signRefundRequest(payer)
    const answer =
      first &&
      (await Promise.race([
        world.random
          .pick([first, ...rest])
          .ask(request)
          .catch(() => undefined),
        world.pause(25_000).then(() => undefined),
      ]))
    context.count(`channel: refund asked, ${answer?.status ?? 'no answer'}`)
    if (answer?.status === 200) return
    if (answer?.status === 402) takeCorrection(context, payer, answer.headers)
    await world.pause(world.random.whole(500, 5_000))
  }
}

/** Takes its money out without us: all of it, or a part. */
async function withdraw({ context }: Buyers, payer: ChannelPayer): Promise<void> {
  const { world, chain } = context
  const { channelId, config } = payer
  const { balance, totalClaimed, withdrawal: earlier } = onChain(context, payer)
  const available = balance - totalClaimed
  if (available === 0n || earlier !== null) return
  const part = BigInt(world.random.whole(1, Number(available)))
  const amount = world.random.chance(0.7) ? available : part
  context.count('channel: withdrawal announced')
  chain.broadcast([{ kind: 'channel', steps: [{ type: 'announce', channelId, amount }] }])
  // A refund may have ended it, or a block was undone and its transactions dropped.
  for (let unseen = 0; unseen < 4; ) {
    await world.pause(5_000)
    const { withdrawal } = onChain(context, payer)
    const now = Math.floor(world.now() / 1000)
    if (withdrawal === null) unseen += 1
    else if (now >= withdrawal.since + config.withdrawDelay / delayPart) {
      chain.broadcast([{ kind: 'channel', steps: [{ type: 'withdraw', channelId }] }])
    }
  }
}

/** A thief with the key that decides on refunds gives all escrow back that is not claimed. */
function stealKey({ context, checker }: Buyers, payer: ChannelPayer): void {
  const { balance, totalClaimed, refundNonce: nonce, channelId, config } = onChain(context, payer)
  const amount = balance - totalClaimed
  if (amount === 0n) return
  context.count('channel: key stolen')
  const terms = { channelId, nonce, amount }
  const signature = signatureOf(config.receiverAuthorizer, refundTerms(terms))
  const { hash } = context.chain.broadcast([
    { kind: 'channel', steps: [{ type: 'refund', ...terms, signature }] },
  ])
  checker.onTheft(hash)
}

/** Pays for one request: corrected, it signs again once; without an answer, it repeats the same bytes. */
async function makeCall(buyers: Buyers, payer: ChannelPayer): Promise<void> {
  const { context } = buyers
  const { random } = context.world
  const manner = random.chance(context.faults().client / 2) ? 'overdraws' : 'deposits'
  const ceiling = BigInt(random.whole(500, 5_000))
  const asked = { ceiling, digest: digestOf(random.bytes(32)), manner } as const
  if (manner === 'overdraws') context.count('channel: voucher without a deposit')
  let call = signChannelCall(context, payer, asked)
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
        call = signChannelCall(context, payer, asked)
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

/** After a backup was restored: thieves present what they have collected, and the payers call again. */
export function resumeChannelPayers(buyers: Buyers, payers: readonly ChannelPayer[]): () => number {
  const { world } = buyers.context
  let open = payers.length
  async function resume(payer: ChannelPayer): Promise<void> {
    await world.pause(world.random.whole(0, 10_000))
    for (const voucher of payer.vouchers.slice(-12)) await present(buyers, payer, voucher)
    await callFor(buyers, payer, 3)
  }
  for (const payer of payers) {
    void resume(payer).finally(() => {
      open -= 1
    })
  }
  return () => open
}

/** A thief presents the vouchers of a payer: claims publish them, and logs and proxies see them. */
async function steal(buyers: Buyers, payer: ChannelPayer): Promise<void> {
  const { random } = buyers.context.world
  const voucher = payer.vouchers[random.whole(0, payer.vouchers.length - 1)]
  if (voucher !== undefined) await present(buyers, payer, voucher)
}

async function present(buyers: Buyers, payer: ChannelPayer, voucher: SignedVoucher): Promise<void> {
  const { context } = buyers
  const { random } = context.world
  const channel = context.disk.channels.get(payer.channelId)
  if (channel === undefined) return
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
