import type { AdmissionRequest } from '@farebox/payments'
import type { Replica } from '../replica.ts'
import type { SimContext } from '../sim-context.ts'
import {
  type ChannelPayer,
  callOn,
  onChain,
  requestWith,
  type SignedDeposit,
  signChannelCall,
  signDeposit,
  signRefundRequest,
} from './channel-payer.ts'
import { channelRules } from './channel-ports.ts'

export type Attack = {
  readonly context: SimContext
  readonly payer: ChannelPayer
  readonly replicas: () => readonly Replica[]
}

/** What payers of channels try who attack, by name. */
export const hostileMoves: Readonly<Record<string, (attack: Attack) => Promise<void>>> = {
  'copies of a deposit': copiesOfDeposit,
  'a deposit again': depositAgain,
  'deposits at the endpoint': depositsAtEndpoint,
  'a refund asked again': refundAskedAgain,
  'a deposit while it withdraws': depositWhileWithdrawing,
  'one sum for several calls': oneSumForSeveral,
}

/** Makes one of the moves. The payer knows where its channel stands, as from the receipts of its calls. */
export async function attackChannel(attack: Attack): Promise<void> {
  const { context } = attack
  const [first = '', ...others] = Object.keys(hostileMoves)
  const name = context.world.random.pick([first, ...others])
  context.count(`hostile: ${name}`)
  stand(attack)
  await hostileMoves[name]?.(attack)
  stand(attack)
}

function stand({ context, payer }: Attack): void {
  const { charged = 0n, reserved = 0n } = context.disk.channels.get(payer.channelId) ?? {}
  payer.charged = charged + reserved
  payer.balance = onChain(context, payer).balance
}

/** One voucher and one deposit, for the same call and for another, on any replica at once. */
async function copiesOfDeposit(attack: Attack): Promise<void> {
  const { request } = callOn(attack.payer, drawDeposit(attack))
  const other = { ...request, requestDigest: drawCall(attack).digest }
  await together(attack, [request, request, other, request].map(asCall))
}

/** A deposit that was presented before, on its way or mined, with another voucher. */
async function depositAgain(attack: Attack): Promise<void> {
  const { payer } = attack
  const deposit = drawDeposit(attack)
  const first = callOn(payer, deposit)
  const begun = together(attack, [asCall(first.request)])
  await pauseUpTo(attack, 12_000)
  payer.charged += first.ceiling
  const again = [drawCall(attack), drawCall(attack)].map((call) => {
    return callOn(payer, { ...deposit, ...call }).request
  })
  await Promise.all([begun, together(attack, again.map(asCall))])
}

/** Deposits without a call, copied, next to a call that presents the same deposit. */
async function depositsAtEndpoint(attack: Attack): Promise<void> {
  const { payer } = attack
  const deposit = drawDeposit(attack)
  const alone = callOn(payer, { ...deposit, ceiling: channelRules.minCharge }).request
  const call = callOn(payer, deposit).request
  await together(attack, [asQuestion(alone), asQuestion(alone), asCall(call)])
}

/** The bytes of one refund request, again and again while calls and a deposit arrive. */
async function refundAskedAgain(attack: Attack): Promise<void> {
  const { payer } = attack
  const refund = signRefundRequest(payer)
  await together(attack, [asQuestion(refund)])
  const call = callOn(payer, drawDeposit(attack)).request
  await together(attack, [asCall(call), asQuestion(refund), asQuestion(refund)])
  await pauseUpTo(attack, 8_000)
  await together(attack, [asQuestion(refund)])
}

/** Announces a withdrawal of a part, and deposits at once: with a call, or without the gateway. */
async function depositWhileWithdrawing(attack: Attack): Promise<void> {
  const { context, payer } = attack
  const { channelId } = payer
  const { balance, totalClaimed } = onChain(context, payer)
  const amount = (balance - totalClaimed) / 2n
  context.chain.broadcast([{ kind: 'channel', steps: [{ type: 'announce', channelId, amount }] }])
  const deposit = drawDeposit(attack)
  if (context.world.random.chance(0.5)) context.chain.broadcast([deposit.signed.deposit])
  await together(attack, [asCall(callOn(payer, deposit).request)])
  await pauseUpTo(attack, 60_000)
  context.chain.broadcast([{ kind: 'channel', steps: [{ type: 'withdraw', channelId }] }])
}

/** Several calls whose vouchers have the same sum, at once. */
async function oneSumForSeveral(attack: Attack): Promise<void> {
  const { context, payer } = attack
  const { ceiling } = drawCall(attack)
  const asked = { ceiling, manner: 'overdraws' } as const
  const calls = [1, 2, 3, 4].map(() => {
    return signChannelCall(context, payer, { ...asked, digest: drawCall(attack).digest }).request
  })
  const [first] = payer.vouchers.slice(-1)
  const voucher = { type: 'voucher', channelConfig: payer.config, voucher: first?.wire }
  const expensive = requestWith(voucher, { ceiling: ceiling * 2n, digest: drawCall(attack).digest })
  await together(attack, [...calls, expensive].map(asCall))
}

type Sent = { readonly request: AdmissionRequest; readonly to: 'route' | 'endpoint' }

function asCall(request: AdmissionRequest): Sent {
  return { request, to: 'route' }
}

function asQuestion(request: AdmissionRequest): Sent {
  return { request, to: 'endpoint' }
}

/** Sends requests to any replicas at the same moment, and waits as long as a client does. */
async function together({ context, replicas }: Attack, sent: readonly Sent[]): Promise<void> {
  const { world } = context
  const answers = sent.map(async ({ request, to }) => {
    const [first, ...rest] = replicas()
    if (first === undefined) return
    const replica = world.random.pick([first, ...rest])
    const answer =
      to === 'endpoint' ? await replica.ask(request) : await replica.serve(request, 'stays')
    context.count(`hostile: ${to} ${answer?.status ?? 'no answer'}`)
  })
  await Promise.race([Promise.allSettled(answers), world.pause(25_000)])
}

async function pauseUpTo({ context: { world } }: Attack, milliseconds: number): Promise<void> {
  await world.pause(world.random.whole(0, milliseconds))
}

type DrawnCall = { readonly ceiling: bigint; readonly digest: string }

function drawCall({ context: { world } }: Attack): DrawnCall {
  const { random } = world
  const digest = Buffer.from(random.bytes(32)).toString('hex')
  return { ceiling: BigInt(random.whole(500, 5_000)), digest }
}

/** A call that the channel does not cover without a deposit, unless that is beyond its limit. */
function drawDeposit(attack: Attack): DrawnCall & { readonly signed: SignedDeposit } {
  const { context, payer } = attack
  const call = drawCall(attack)
  const rest = payer.balance > payer.charged ? payer.balance - payer.charged : 0n
  const ceiling = rest < channelRules.maxUnclaimed / 2n ? rest + call.ceiling : call.ceiling
  return { ...call, ceiling, signed: signDeposit(context, payer) }
}
