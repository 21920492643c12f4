import type { Hex } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import type { AdmissionRequest } from '@farebox/payments'
import { contextFor, encode, resource, wirePayload } from '../support/pay.ts'
import type { Arena } from './arena.ts'
import type { Call } from './chain.ts'
import type { Answer, Replica } from './replica.ts'
import { authorizationKey, type Witness } from './witness.ts'

export type ClientOptions = {
  readonly arena: Arena
  readonly witness: Witness
  readonly treasury: Hex
  readonly address: Hex
  /** Those that are up just now. */
  readonly replicas: () => readonly Replica[]
}

const price = 10_000n
const elsewhere: Hex = `0x${'e'.repeat(40)}`

type Payment = {
  readonly key: string
  readonly transfer: Extract<Call, { kind: 'transfer' }>
  readonly request: AdmissionRequest
  /** Requests of this payment that were neither answered nor lost with their replica. */
  readonly open: Set<Replica['process']>
}

/** Pays for one request and repeats it until it is served, refused, or given up. */
export async function buy(options: ClientOptions): Promise<void> {
  const { arena, witness } = options
  const { world } = arena
  const { random } = world
  const payment = sign(options)
  arena.count('payments signed')
  for (let attempt = 0; attempt < 10; attempt += 1) {
    misbehave(options, payment)
    const answers = await askOnce(options, payment)
    for (const answer of answers) {
      if (answer === 'none') continue
      arena.count(`answer ${answer.status}`)
      if (answer.status === 'served') {
        checkServed(witness, payment, answer)
        return
      }
      if (answer.status === 'failed' || answer.status === 'spent') return
      if (answer.status === 'replayed') return
      if (answer.status === 'rejected' || answer.status === 'required') {
        if (openRequests(payment) === 0) witness.onRefusal(payment.key)
        return
      }
    }
    if (random.chance(arena.faults().client / 5)) {
      arena.count('client gave up')
      return
    }
    await world.pause(random.whole(1_000, 8_000))
  }
}

/** The request, once or in copies to several replicas at once; who does not answer in time is left. */
async function askOnce(
  { arena, replicas }: ClientOptions,
  payment: Payment,
): Promise<readonly (Answer | 'none')[]> {
  const { world, faults } = arena
  const copies = world.random.chance(faults().client / 2) ? world.random.whole(2, 3) : 1
  const up = replicas()
  const [first, ...rest] = up
  if (first === undefined) {
    await world.pause(2_000)
    return []
  }
  const asked = Array.from({ length: copies }, (_, copy) => {
    const replica = world.random.pick([first, ...rest])
    payment.open.add(replica.process)
    // A second request for the same money gets nothing, whichever of them comes first.
    const isOther = copy > 0 && world.random.chance(0.3)
    const requestDigest = (isOther ? 'b' : 'a').repeat(64)
    const answer = replica.serve({ ...payment.request, requestDigest }).then(
      (told): Answer | 'none' => told,
      (): Answer | 'none' => 'none',
    )
    const noted = answer.then((told) => {
      payment.open.delete(replica.process)
      return told
    })
    return Promise.race([noted, world.pause(25_000).then((): 'none' => 'none')])
  })
  return await Promise.all(asked)
}

function openRequests({ open }: Payment): number {
  return [...open].filter(({ alive }) => alive).length
}

function sign({ arena, treasury, address }: ClientOptions): Payment {
  const { world } = arena
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

/** What a payer can do to its own authorisation without asking us. */
function misbehave({ arena, address }: ClientOptions, { transfer }: Payment): void {
  const { world, chain, faults } = arena
  const { random } = world
  if (!random.chance(faults().client / 4)) return
  const { from, nonce } = transfer
  const deed = random.pick(['cancel', 'twin', 'execute', 'empty'] as const)
  arena.count(`client: ${deed}`)
  world.after(random.whole(0, 10_000), () => {
    switch (deed) {
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
        const spent: Hex = `0x${Buffer.from(random.bytes(32)).toString('hex')}`
        const value = chain.balance(address)
        chain.broadcast([{ ...transfer, to: elsewhere, nonce: spent, value }])
        break
      }
    }
  })
}

function checkServed(
  witness: Witness,
  { key }: Payment,
  { payment }: Extract<Answer, { status: 'served' }>,
): void {
  const { cost, refund, authorization } = payment
  if ((cost ?? -1n) + (refund?.amount ?? 0n) !== authorization.value) {
    witness.accuse(`${payment.id}: paid is not cost + refund`)
  }
  if (witness.calls(key) !== 1) witness.accuse(`${payment.id}: served without one upstream call`)
}
