import type { Hex } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import type { AdmissionRequest } from '@farebox/payments'
import { contextFor, encode, resource, wirePayload } from '../support/pay.ts'
import type { TokenCall } from './chain.ts'
import { authorizationKey, type InvariantChecker } from './invariant-checker.ts'
import type { ClientManner, Replica, ServeOutcome } from './replica.ts'
import type { SimContext } from './sim-context.ts'

export type ClientOptions = {
  readonly context: SimContext
  readonly checker: InvariantChecker
  readonly treasury: Hex
  readonly address: Hex
  /** The replicas that are running. */
  readonly replicas: () => readonly Replica[]
}

/** What a payer does to each of its own payments. */
export type Hostility = {
  readonly name: string
  /** What it does with its authorization outside the gateway, within seconds. */
  readonly act?: 'cancel' | 'execute' | 'empty' | 'twin'
  /** Copies of each request that it sends at once. */
  readonly copies?: number
  /** One that leaves does not repeat the request. */
  readonly manner?: ClientManner
  /** Its code agrees in a simulation and refuses in a block: the settlement reverts. */
  readonly reverts?: true
}

const price = 10_000n
const elsewhere: Hex = `0x${'e'.repeat(40)}`

type Payment = {
  readonly key: string
  readonly transfer: Extract<TokenCall, { kind: 'transfer' }>
  readonly request: AdmissionRequest
  /** Requests of this payment without a response whose replica has not crashed. */
  readonly open: Set<Replica['process']>
}

/** Pays for one request and repeats it until it is served, rejected or given up. */
export async function buy(
  options: ClientOptions,
  hostility?: Omit<Hostility, 'name'>,
): Promise<void> {
  const { context, checker } = options
  const { world } = context
  const { random } = world
  const payment = sign(options)
  context.count('payments signed')
  for (let attempt = 0; attempt < 10; attempt += 1) {
    if (hostility === undefined) misbehave(options, payment)
    else if (hostility.act !== undefined && attempt === 0) {
      world.after(random.whole(0, 3_000), () => act(options, payment, hostility.act))
    }
    const outcomes = await requestOnce(options, payment, hostility)
    for (const outcome of outcomes) {
      if (outcome === 'none') continue
      context.count(`outcome ${outcome.status}`)
      if (outcome.status === 'served') {
        checkServed(checker, payment, outcome)
        return
      }
      if (outcome.status === 'failed' || outcome.status === 'spent') return
      if (outcome.status === 'replayed') return
      if (isPaymentRequired(outcome)) {
        if (openRequests(payment) === 0) checker.onPaymentRequired(payment.key)
        return
      }
    }
    if (random.chance(context.faults().client / 5)) {
      context.count('client gave up')
      return
    }
    await world.pause(random.whole(1_000, 8_000))
  }
}

/** Sends the request, or copies of it to several replicas at once; stops waiting after a timeout. */
async function requestOnce(
  { context, checker, replicas }: ClientOptions,
  payment: Payment,
  hostility: Omit<Hostility, 'name'> = {},
): Promise<readonly (ServeOutcome | 'none')[]> {
  const { world, faults } = context
  const isCopied = world.random.chance(faults().client / 2)
  const copies = hostility.copies ?? (isCopied ? world.random.whole(2, 3) : 1)
  const up = replicas()
  const [first, ...rest] = up
  if (first === undefined) {
    await world.pause(2_000)
    return []
  }
  // Of copies that arrive before the claim, a replica whose clock is ahead may find one expired.
  const isClaimed = context.claimed.has(payment.key)
  const requests = Array.from({ length: copies }, (_, copy) => {
    const replica = world.random.pick([first, ...rest])
    payment.open.add(replica.process)
    // Of two different requests with one authorization, only the first to arrive is served.
    const isOther = copy > 0 && world.random.chance(0.3)
    const requestDigest = (isOther ? 'b' : 'a').repeat(64)
    const manner = hostility.manner ?? 'stays'
    const served = replica.serve({ ...payment.request, requestDigest }, manner).then(
      (outcome): ServeOutcome | 'none' => outcome,
      (): ServeOutcome | 'none' => 'none',
    )
    const closed = served.then((outcome) => {
      payment.open.delete(replica.process)
      if (isClaimed && isPaymentRequired(outcome)) checker.onRefusedAfterClaim(payment.key)
      return outcome
    })
    return Promise.race([closed, world.pause(25_000).then((): 'none' => 'none')])
  })
  return await Promise.all(requests)
}

function isPaymentRequired(outcome: ServeOutcome | 'none'): boolean {
  return outcome !== 'none' && (outcome.status === 'rejected' || outcome.status === 'required')
}

function openRequests({ open }: Payment): number {
  return [...open].filter(({ alive }) => alive).length
}

function sign({ context, treasury, address }: ClientOptions): Payment {
  const { world } = context
  const nonce: Hex = `0x${Buffer.from(world.random.bytes(32)).toString('hex')}`
  const validBefore = Math.floor(world.now() / 1000) + world.random.whole(20, 90)
  const transfer = {
    kind: 'transfer',
    from: address,
    to: treasury,
    value: price,
    nonce,
    validBefore,
  } as const
  const message = {
    from: address,
    to: treasury,
    value: price,
    validAfter: 0n,
    validBefore: BigInt(validBefore),
    nonce,
  }
  const signature: Hex = `0x${'1'.repeat(128)}1b`
  const { v1, v2 } = wirePayload({ message, signature }, contextFor(treasury, price))
  const headers = world.random.chance(0.5)
    ? { 'payment-signature': encode(v2) }
    : { 'x-payment': encode(v1) }
  return {
    key: authorizationKey(transfer),
    transfer,
    request: {
      headers,
      resource,
      offers: [{ amount: atomicUsdc(price), model: 'sandbox/echo', priceVersion: 'v1' }],
      requestDigest: 'a'.repeat(64),
      challenge: {},
    },
    open: new Set(),
  }
}

/** What a payer can do with its own authorization outside the gateway. */
function misbehave(options: ClientOptions, payment: Payment): void {
  const { context } = options
  const { world, faults } = context
  const { random } = world
  if (!random.chance(faults().client / 4)) return
  const action = random.pick(['cancel', 'twin', 'execute', 'empty'] as const)
  context.count(`client: ${action}`)
  world.after(random.whole(0, 10_000), () => act(options, payment, action))
}

function act(
  { context: { world, chain }, address }: ClientOptions,
  { transfer }: Payment,
  action: Hostility['act'],
): void {
  const { from, nonce } = transfer
  switch (action) {
    case 'cancel':
      chain.broadcast([{ kind: 'cancel', from, nonce }])
      break
    case 'twin':
      chain.broadcast([{ ...transfer, to: elsewhere }])
      break
    case 'execute':
      chain.broadcast([transfer])
      break
    case 'empty': {
      const spent: Hex = `0x${Buffer.from(world.random.bytes(32)).toString('hex')}`
      const value = chain.balance(address)
      chain.broadcast([{ ...transfer, to: elsewhere, nonce: spent, value }])
      break
    }
    case undefined:
      break
  }
}

function checkServed(
  checker: InvariantChecker,
  { key }: Payment,
  { payment }: Extract<ServeOutcome, { status: 'served' }>,
): void {
  const { cost, refund, authorization } = payment
  if ((cost ?? -1n) + (refund?.amount ?? 0n) !== authorization.value) {
    checker.report(`${payment.id}: paid is not cost + refund`)
  }
  if (checker.calls(key) !== 1) checker.report(`${payment.id}: served without one upstream call`)
}
