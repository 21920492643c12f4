/**
 * What payments cost on the chain side, measured on a devnet: gas of refunds, settlements and
 * refunds per second, and the signature check compared with viem's, in one run.
 *
 *     node --conditions=farebox-source packages/payments/bench/chain.ts
 */
import { type Devnet, startDevnet } from '@farebox/devnet'
import type { Hex } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { paymentNetwork } from '@farebox/payments'
import {
  createChainReader,
  createInProcessFacilitator,
  createRefundSender,
  createRefundSigner,
  createTransactionQueue,
  type SignedRefund,
} from '@farebox/payments/chain'
import {
  createPaymentCheck,
  decodePayment,
  type SignedPayment,
  signatureBackend,
} from '@farebox/payments/wire'
import { toHex, verifyTypedData } from 'viem'
import {
  authorizationTypes,
  contextFor,
  encode,
  paymentFor,
  signAuthorization,
  tokenDomain,
  wirePayload,
} from '../test/support/pay.ts'

const network = paymentNetwork('devnet')
const devnet = await startDevnet({ payers: 200 })
try {
  console.log(`signatures: ${signatureBackend()}`)
  await benchChecks(devnet)
  await benchSettlements(devnet)
  await benchRefunds(devnet)
} finally {
  await devnet.stop()
}

async function payments(count: number): Promise<readonly SignedPayment[]> {
  const to = devnet.treasury.address
  const context = contextFor(to, 1_000n)
  const signing = devnet.payers.slice(0, count)
  return await Promise.all(
    signing.map((signer) => paymentFor({ signer, to, value: 1_000n }, context)),
  )
}

/** Microseconds of CPU per call, after a warm-up. */
async function cpuPerCall(calls: number, call: (index: number) => unknown): Promise<number> {
  for (let index = 0; index < calls / 4; index += 1) await call(index)
  const before = process.cpuUsage()
  for (let index = 0; index < calls; index += 1) await call(index)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / calls
}

async function benchChecks({ rpcUrl, treasury, payers, relayer }: Devnet): Promise<void> {
  const signed = await payments(100)
  const context = contextFor(treasury.address, 1_000n)
  const chain = createChainReader({ rpcUrl })
  const check = createPaymentCheck({
    network,
    payTo: treasury.address,
    ownAccounts: [relayer.address],
    chain,
  })
  const now = Math.floor(Date.now() / 1000)
  const amount = atomicUsdc(1_000n)
  const of = (index: number): SignedPayment => signed[index % signed.length] ?? fail()
  const ours = await cpuPerCall(4_000, (index) => check({ payment: of(index), amount, now }))
  const viem = await cpuPerCall(400, (index) => {
    const { authorization, signature } = of(index)
    const { from, to, value, nonce } = authorization
    const validAfter = BigInt(authorization.validAfter)
    const validBefore = BigInt(authorization.validBefore)
    return verifyTypedData({
      address: from,
      domain: tokenDomain,
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message: { from, to, value, nonce, validAfter, validBefore },
      signature,
    })
  })
  const signer = payers[0] ?? fail()
  const wire = wirePayload(
    await signAuthorization({ signer, to: treasury.address, value: 1_000n }),
    context,
  )
  const header = encode(wire.v2)
  const decode = await cpuPerCall(4_000, () =>
    decodePayment({ 'payment-signature': header }, context),
  )
  console.log(
    `check ${ours.toFixed(0)} µs, viem ${viem.toFixed(0)} µs: ${(viem / ours).toFixed(1)} times`,
  )
  console.log(`decode ${decode.toFixed(0)} µs`)
}

async function benchSettlements({ rpcUrl, relayer }: Devnet): Promise<void> {
  const queue = createTransactionQueue({ rpcUrl, network, key: relayer.privateKey })
  const facilitator = createInProcessFacilitator({ rpcUrl, network, queue })
  await facilitator.settle((await payments(1))[0] ?? fail(), AbortSignal.timeout(10_000))
  const signed = await payments(200)
  const cpu = process.cpuUsage()
  const started = performance.now()
  const outcomes = await Promise.all(
    signed.map((payment) => facilitator.settle(payment, AbortSignal.timeout(60_000))),
  )
  const seconds = (performance.now() - started) / 1000
  const used = process.cpuUsage(cpu)
  const settled = outcomes.filter((outcome) => outcome.status === 'settled').length
  const each = (used.user + used.system) / settled / 1000
  console.log(
    `settled ${settled} of ${signed.length} at once: ${(settled / seconds).toFixed(0)}/s, ${each.toFixed(1)} ms of CPU each`,
  )
  const lone = (await payments(30)).slice(0, 30)
  const times: number[] = []
  for (const payment of lone) {
    const from = performance.now()
    await facilitator.settle(payment, AbortSignal.timeout(10_000))
    times.push(performance.now() - from)
  }
  times.sort((a, b) => a - b)
  console.log(
    `one after the other: p50 ${(times[15] ?? 0).toFixed(1)} ms, p95 ${(times[28] ?? 0).toFixed(1)} ms`,
  )
  queue.close()
}

async function benchRefunds({ rpcUrl, relayer, treasury }: Devnet): Promise<void> {
  await devnet.mint(treasury.address, 10n ** 12n)
  const queue = createTransactionQueue({ rpcUrl, network, key: relayer.privateKey })
  const sender = createRefundSender({ rpcUrl, network, queue })
  const signer = createRefundSigner({ key: treasury.privateKey, network })
  const total = { signed: 0 }

  async function refund(to: Hex): Promise<SignedRefund> {
    total.signed += 1
    const unsigned = {
      nonce: toHex(total.signed, { size: 32 }),
      asset: network.usdc,
      from: signer.treasury,
      to,
      value: atomicUsdc(1_000n),
      validAfter: 0,
      validBefore: Math.floor(Date.now() / 1000) + 86_400,
    }
    return { ...unsigned, signature: await signer.sign(unsigned) }
  }

  for (const size of [1, 10, 50, 100]) {
    const rounds = Math.max(2, Math.floor(300 / size))
    const started = performance.now()
    let gas = 0n
    for (let round = 0; round < rounds; round += 1) {
      const payees = devnet.payers.slice(0, size)
      const [first, ...rest] = await Promise.all(payees.map((payer) => refund(payer.address)))
      const outcome = await sender.send([first ?? fail(), ...rest])
      if (outcome.status !== 'sent') throw new Error(outcome.status)
      gas = (await queue.receiptOf(outcome.transaction, 10_000))?.gasUsed ?? 0n
    }
    const perSecond = (rounds * size * 1000) / (performance.now() - started)
    console.log(
      `refunds in batches of ${size}: ${gas / BigInt(size)} gas each, ${perSecond.toFixed(0)}/s`,
    )
  }
  queue.close()
}

function fail(): never {
  throw new Error('nothing to measure')
}
