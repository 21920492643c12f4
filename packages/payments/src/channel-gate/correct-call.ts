import type { ChannelRecord, ChannelTurn } from '@farebox/ledger'
import { greatest, least, sum, times, type Usdc } from '@farebox/money'
import { provenState } from '../channel/channel-receipt.ts'
import type { ChannelState } from '../channel/channel-requirements.ts'
import type { Admission } from '../gate/payment-gate.ts'
import type { CallAttempt, ChannelCall } from './channel-call.ts'
import type { ChannelPorts } from './channel-ports.ts'

type Attempt = (ports: ChannelPorts, call: ChannelCall) => Promise<CallAttempt>

/** How often the row is read for a corrected call that another replica may have held. */
const pollMs = 50
/** The time between two reads, those of all channels together. */
const pollAllMs = 1

/**
 * Answers a voucher that does not fit, when it is its turn: once the call that was corrected before
 * it has been sent again, or after `turnMs`. By then the voucher may fit after all. A lost turn
 * costs a 402, and never money.
 */
export async function correctCall(
  ports: ChannelPorts,
  call: ChannelCall,
  attempt: Attempt,
): Promise<Admission> {
  const { turnstile, channelTerms } = ports
  return await turnstile.queue(call.channelId, async (isCrowded) => {
    const patienceMs = isCrowded ? 0 : channelTerms.policy.maxTurnWaitMs
    return await decideInTime(ports, call, { attempt, patienceMs })
  })
}

/**
 * Decides on a corrected call that does not fit because others came before it. It does not queue: the
 * calls in the queue wait for this one.
 */
export async function decideAwaited(
  ports: ChannelPorts,
  call: ChannelCall,
  attempt: Attempt,
): Promise<Admission> {
  const patienceMs = ports.channelTerms.policy.turnMs
  return await decideInTime(ports, call, { attempt, patienceMs })
}

async function decideInTime(
  ports: ChannelPorts,
  call: ChannelCall,
  { attempt, patienceMs }: { readonly attempt: Attempt; readonly patienceMs: number },
): Promise<Admission> {
  const { clock } = ports
  const deadline = clock() + patienceMs
  for (;;) {
    // A client that left sends no other voucher, and would be awaited for a whole turn.
    if (call.request.isWanted?.() === false) return ports.admissions.corrected(call.request)
    const again = await attempt(ports, call)
    if (again.status === 'decided') return again.admission
    // The client has to read the chain: the gateway has nothing to add.
    if (again.status === 'no_channel') return ports.admissions.corrected(call.request)
    if (await isDoubted(ports, again)) return await correctAside(ports, call, again)
    if (waitFor(ports, call, again) === 0 || clock() >= deadline) {
      const admission = await correctNow(ports, call, again)
      if (admission !== undefined) return admission
    }
    await waitForChange(ports, call, { found: again, deadline })
  }
}

/** Waits as long as an attempt would find the same. An attempt is a write, and the row is only read. */
async function waitForChange(
  ports: ChannelPorts,
  call: ChannelCall,
  { found, deadline }: { readonly found: Misfit; readonly deadline: number },
): Promise<void> {
  const { turnstile, store, clock } = ports
  const { id, version, turn } = found.channel
  const left = (): number => Math.min(waitFor(ports, call, found), deadline - clock())
  for (;;) {
    const everyMs = Math.max(pollMs, pollAllMs * turnstile.channels())
    await turnstile.arrival(id, Math.min(everyMs, Math.max(left(), 1)))
    if (left() <= 0 || call.request.isWanted?.() === false) return
    const row = await store.loadChannel(id)
    if (row?.version !== version || row.turn?.until !== turn?.until) return
  }
}

/**
 * Whether a voucher that was used long ago may be a thief's, who cannot sign the next one: claims
 * publish used vouchers, and awaiting a thief delays the payer. A client that lost its state signs
 * such vouchers too, and then the next ones. So they have turns until one passes without its call.
 */
export async function isDoubted(
  { oldTurns, store, clock, channelTerms }: ChannelPorts,
  found: CallAttempt,
): Promise<boolean> {
  if (found.status !== 'misfit' || found.isOld !== true) return false
  const { id } = found.channel
  const last = oldTurns.get(id)
  const passedMs = last === undefined ? -1 : clock() - last.until
  if (last === undefined || passedMs < 0 || passedMs > channelTerms.policy.doubtMs) return false
  const arrived = await store.findCall(id, last.max)
  return arrived?.requestDigest !== last.digest
}

/** Answers a doubted voucher at once, and awaits nothing for it. */
export async function correctAside(
  ports: ChannelPorts,
  call: ChannelCall,
  found: Misfit,
): Promise<Admission> {
  const { charged, reserved } = found.channel
  const base = await nextBase(ports, { call, found }, sum([charged, reserved]))
  return ports.admissions.corrected(call.request, await stateAt(ports, { call, found, base }))
}

/**
 * How long a call waits: for the one that is awaited, or for those in flight if it is awaited itself
 * and fits once they cost less than their ceilings. Otherwise it has used its turn. So has one that
 * would be awaited for too long: the clock was set back after its turn began.
 */
function waitFor({ clock, channelTerms }: ChannelPorts, call: ChannelCall, found: Misfit): number {
  const { turn } = found.channel
  if (turn === null || (isAwaited(call, found.channel) && !mayFit(call, found))) return 0
  const wait = turn.until - clock()
  return wait > channelTerms.policy.maxTurnWaitMs ? 0 : Math.max(0, wait)
}

/** Whether the call was corrected, and comes with the voucher that was asked for. */
export function isAwaited(
  { request, voucher }: ChannelCall,
  { turn }: Pick<ChannelRecord, 'turn'>,
): boolean {
  return turn?.digest === request.requestDigest && turn.max === voucher.max
}

function mayFit({ voucher, ceiling }: ChannelCall, { channel, isUsed }: Misfit): boolean {
  const needed = channel.charged + ceiling
  return !isUsed && needed <= greatest(channel.signed, voucher.max)
}

/** Only the latest turn of a channel matters, and not after `doubtMs`. */
function rememberOld(
  { oldTurns, clock, channelTerms }: ChannelPorts,
  id: ChannelRecord['id'],
  turn: ChannelTurn,
): void {
  oldTurns.delete(id)
  for (const [old, { until }] of oldTurns) {
    if (clock() - until <= channelTerms.policy.doubtMs) break
    oldTurns.delete(old)
  }
  oldTurns.set(id, turn)
}

type Misfit = Extract<CallAttempt, { readonly status: 'misfit' }>

/** Undefined when the channel has changed, or another call has taken the turn, in the meantime. */
async function correctNow(
  ports: ChannelPorts,
  call: ChannelCall,
  found: Misfit,
): Promise<Admission | undefined> {
  const { store, clock, channelTerms } = ports
  const { channel } = found
  const { ceiling, request } = call
  const base = await nextBase(ports, { call, found }, baseFor(ports, call, channel))
  const now = clock()
  // A client signs again once: after that no call is awaited.
  const isLast = isAwaited(call, channel)
  const until = isLast ? now : now + channelTerms.policy.turnMs
  const turn = { digest: request.requestDigest, max: sum([base, ceiling]), until }
  const isFree = waitFor(ports, call, found) === 0
  const ended = isFree ? Math.max(now, channel.turn?.until ?? now) : now
  const taken = await store.takeTurn(channel, turn, ended)
  if (taken === undefined && isFree) return undefined
  if (taken !== undefined && found.isOld === true) rememberOld(ports, channel.id, turn)
  return ports.admissions.corrected(request, await stateAt(ports, { call, found, base }))
}

/** A crowded channel leaves room for this many calls of the same ceiling before a corrected one. */
const overtaking = 2n

/**
 * What is charged and in flight. In a crowd it is a little more, as far as that is signed already,
 * so that the next voucher fits although others overtake it; later receipts report that much less.
 */
function baseFor({ turnstile }: ChannelPorts, call: ChannelCall, channel: ChannelRecord): Usdc {
  const { charged, reserved, signed, deposited, returned, id } = channel
  const spent = sum([charged, reserved])
  if (turnstile.waiting(id) < 2) return spent
  const ahead = sum([spent, times(call.ceiling, overtaking)])
  const known = least(ahead, greatest(signed, call.voucher.max))
  const covered = deposited - returned - call.ceiling
  return greatest(spent, known < covered ? known : spent)
}

type Found = { readonly call: ChannelCall; readonly found: Misfit }

/**
 * The sum that the client's next voucher is signed on top of. A voucher is a bearer instrument, and a
 * thief may present a used one. So the highest voucher, which then proves where the channel stands,
 * buys no call from now on, even if its call cost nothing.
 */
async function nextBase(
  { store }: ChannelPorts,
  { call, found }: Found,
  from: Usdc,
): Promise<Usdc> {
  const { id, signed } = found.channel
  const isShown = found.isUsed && call.voucher.max < from && from <= signed
  if (isShown && (await store.findCall(id, signed)) === undefined) {
    await store.publishVoucher(id, signed)
  }
  return await store.unusedBase(id, from, call.ceiling)
}

/** Where the client continues, with its own voucher as a proof. Without one it reads the chain. */
async function stateAt(
  { store }: ChannelPorts,
  correction: Found & { readonly base: Usdc },
): Promise<ChannelState | undefined> {
  const { call, found, base } = correction
  const { channel, isUsed } = found
  const { signed: max, signature, id } = channel
  const { voucher } = call
  if (voucher.max >= base) return provenState(channel, base, voucher)
  if (signature === null || max < base) return undefined
  const isSafe = !isUsed || (await store.findCall(id, max)) !== undefined
  return isSafe ? provenState(channel, base, { max, signature }) : undefined
}
