import { type Devnet, startDevnet } from '@farebox/devnet'
import { atomicUsdc, formatUsdc } from '@farebox/money'
import { paymentNetwork } from '@farebox/payments'
import {
  createRefundSender,
  createRefundSigner,
  createTransactionQueue,
} from '@farebox/payments/chain'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runGateway } from '../contract/run-gateway.ts'
import { buy, chatOf } from '../support/buy.ts'
import { openGatewayOn, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, imagePath, post, signPayment } from '../support/sign-payment.ts'
import { sweepTreasury } from '../support/sweep-treasury.ts'

let devnet: Devnet
let gateway: TestGateway
beforeEach(async () => {
  devnet = await startDevnet()
  // Blocks are mined immediately; the test mines their confirmations.
  gateway = await openGatewayOn(devnet, { REFUND_CONFIRMATIONS: '5', METRICS_PORT: '0' })
})
afterEach(async () => {
  await gateway.stop()
  await devnet.stop()
})

const health = async () => (await (await fetch(`${gateway.url}/v1/health`)).json()) as object

/** The owner moves everything away but one unit. */
async function sweep(): Promise<void> {
  const { address } = devnet.treasury
  await sweepTreasury(devnet, gateway.payer(9).address, (await devnet.usdcBalance(address)) - 1n)
}

test('sales stop with a reason while the treasury cannot cover what it owes, and resume once it can', async () => {
  const body = chatOf('Hello.')
  const kept = await signPayment(gateway, 0, { body })
  const sold = await post(gateway, chatPath, { body, headers: kept.v2 })
  const text = await sold.text()
  const waiting = await signPayment(gateway, 1, { body })
  expect(await health()).toMatchObject({ status: 'ok' })
  expect(await health()).not.toHaveProperty('issues')
  await sweep()
  await expect.poll(health).toMatchObject({
    status: 'degraded',
    issues: ['sales_stopped'],
  })

  for (const headers of [undefined, waiting.v2]) {
    const refused = await post(gateway, chatPath, { body, ...(headers && { headers }) })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60'])
    expect(await refused.json()).toMatchObject({
      error: { type: 'service_unavailable', code: 'sales_stopped' },
    })
  }
  const image = await post(gateway, imagePath, { body: { prompt: 'A cat' } })
  expect(image.status).toBe(503)
  expect(await image.json()).toMatchObject({ details: { code: 'sales_stopped' } })
  expect(await gateway.balance(gateway.payer(1).address)).toBe(1_000_000_000n)
  // The one payment has a refund that waits for its confirmations.
  const refund = BigInt((await gateway.record(sold.headers.get('x-payment-id') ?? '')).refund!.usdc)
  const doctor = await runGateway(['doctor'], { DATA_DIR: gateway.folder, RPC_URL: devnet.rpcUrl })
    .ended
  expect(doctor.code).toBe(1)
  expect(doctor.stdout).toContain(
    `wrong  treasury     holds 0.000001 USDC and owes ${formatUsdc(atomicUsdc(refund))} in refunds: nothing is sold`,
  )
  expect(doctor.stdout).toContain(
    `fix: send it at least ${formatUsdc(atomicUsdc(refund - 1n))} USDC`,
  )
  // Earlier payments are still replayed.
  const again = await post(gateway, chatPath, { body, headers: kept.v2 })
  expect([again.status, await again.text()]).toEqual([200, text])
  expect((await fetch(`${gateway.url}/v1/models`)).status).toBe(200)

  await devnet.mint(devnet.treasury.address, 100_000_000n)
  await expect.poll(health).toMatchObject({ status: 'ok' })
  await devnet.mine(5)
  await gateway.refunded(sold.headers.get('x-payment-id') ?? '')
  const served = await post(gateway, chatPath, { body, headers: waiting.v2 })
  expect(served.status).toBe(200)
  await served.text()
})

test('a transfer that is not in the ledger stops sales permanently, while refunds continue', async () => {
  const sold = await buy(gateway, 2, { body: chatOf('Hello.') })
  await sold.text()
  await signPastTheLedger()
  await expect.poll(health).toMatchObject({ issues: ['sales_stopped'] })
  await devnet.mint(devnet.treasury.address, 100_000_000n)
  await devnet.mine(5)
  const { refund } = await gateway.refunded(sold.headers.get('x-payment-id') ?? '')
  expect(refund).toMatchObject({ status: 'confirmed' })
  expect(await health()).toMatchObject({ issues: ['sales_stopped'] })
})

test('when two gateways with separate ledgers share a treasury, the one that did not sell stops', async () => {
  const second = await openGatewayOn(devnet)
  try {
    const sold = await buy(gateway, 3, { body: chatOf('Hello.') })
    expect(sold.status).toBe(200)
    await sold.text()
    const healthOfSecond = async () => (await fetch(`${second.url}/v1/health`)).json()
    await expect.poll(healthOfSecond).toMatchObject({ issues: ['sales_stopped'] })
    expect((await post(second, chatPath, { body: chatOf('Hello.') })).status).toBe(503)
  } finally {
    await second.stop()
  }
})

test('sales stop when the relayer cannot pay for a settlement', async () => {
  const body = chatOf('Hello.')
  await devnet.setEthBalance(devnet.relayer.address, 0n)
  const stuck = await buy(gateway, 6, { body })
  expect([stuck.status, (await stuck.json()).error.code]).toEqual([503, 'settlement_unknown'])
  expect(await health()).toMatchObject({ status: 'degraded', issues: ['sales_stopped'] })
  const refused = await post(gateway, chatPath, { body })
  expect([refused.status, (await refused.json()).error.code]).toEqual([503, 'sales_stopped'])
})

/** An attacker has the treasury's key, and gas. */
async function signPastTheLedger(): Promise<void> {
  const network = paymentNetwork('devnet')
  const { address: to, privateKey } = gateway.payer(5)
  await devnet.setEthBalance(to, 10n ** 18n)
  const { rpcUrl, treasury } = devnet
  const signer = createRefundSigner({ key: treasury.privateKey, network })
  const transfer = {
    nonce: `0x${'ab'.repeat(32)}`,
    asset: network.usdc,
    from: signer.treasury,
    to,
    value: atomicUsdc(1n),
    validAfter: 0,
    validBefore: Math.floor(Date.now() / 1000) + 3_600,
  } as const
  const queue = createTransactionQueue({ rpcUrl, network, key: privateKey })
  const sender = createRefundSender({ rpcUrl, network, queue })
  const outcome = await sender.send([{ ...transfer, signature: await signer.sign(transfer) }])
  queue.close()
  expect(outcome).toMatchObject({ status: 'sent' })
}
