import { x402Client } from '@x402/core/client'
import { HTTPFacilitatorClient } from '@x402/core/server'
import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types'
import { toClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/client'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FaultyFacilitator, startFaultyFacilitator } from '../../src/faults.ts'
import { type Devnet, type DevnetAccount, startDevnet } from '../../src/index.ts'
import { connect } from '../chain/authorization.ts'
import { signClaims, signRefund, type VoucherClaim } from '../chain/channel.ts'
import { openChannel, type TestChannel } from '../chain/channel-calls.ts'
import { channelContract } from '../chain/channel-contract.ts'

let devnet: Devnet
let server: FaultyFacilitator
let payers: readonly DevnetAccount[]
let start: string

beforeAll(async () => {
  devnet = await startDevnet({ payers: 2 })
  payers = devnet.payers
  const relayerKey = devnet.relayer.privateKey
  server = await startFaultyFacilitator({ rpcUrl: devnet.rpcUrl, relayerKey })
})
beforeEach(async () => {
  start = await devnet.snapshot()
})
afterEach(async () => {
  await devnet.revert(start)
})
afterAll(async () => {
  await server.stop()
  await devnet.stop()
})

function requirements(): PaymentRequirements {
  return {
    scheme: 'batch-settlement',
    network: 'eip155:84532',
    amount: '1000',
    asset: devnet.usdc,
    payTo: devnet.treasury.address,
    maxTimeoutSeconds: 300,
    extra: {
      name: 'USDC',
      version: '2',
      receiverAuthorizer: devnet.treasury.address,
      withdrawDelay: 900,
    },
  }
}

/** What the stock client pays with when it has no memory but the chain. */
async function pay({ privateKey }: DevnetAccount): Promise<PaymentPayload> {
  const signer = toClientEvmSigner(privateKeyToAccount(privateKey), connect(devnet).reader)
  const client = new x402Client().register('eip155:84532', new BatchSettlementEvmScheme(signer))
  return await client.createPaymentPayload({
    x402Version: 2,
    resource: { url: 'https://seller.example/call' },
    accepts: [requirements()],
  })
}

/** The seller's own instruction to the facilitator. */
async function instruct(payload: Record<string, unknown>): Promise<SettleResponse> {
  const accepted = requirements()
  return await facilitator().settle({ x402Version: 2, accepted, payload }, accepted)
}

function facilitator(): HTTPFacilitatorClient {
  return new HTTPFacilitatorClient({ url: server.url, timeoutMs: 10_000 })
}

type Voucher = { readonly maxClaimableAmount: string; readonly signature: Hex }

function voucherOf(payment: PaymentPayload): Voucher {
  return payment.payload['voucher'] as Voucher
}

function claimUnder(channel: TestChannel, voucher: Voucher, totalClaimed: bigint): VoucherClaim {
  const maxClaimableAmount = BigInt(voucher.maxClaimableAmount)
  const { signature } = voucher
  return { voucher: { channel: channel.config, maxClaimableAmount }, signature, totalClaimed }
}

function onWire(claims: readonly VoucherClaim[]): unknown {
  return JSON.parse(
    JSON.stringify(claims, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    ),
  )
}

test('the stock client deposits, pays by voucher, and is claimed from, through the stock facilitator', async () => {
  const { channel: balanceOf } = await channelContract(devnet)
  const { treasury } = devnet
  const channels = payers.map((payer) => openChannel(devnet, payer))
  for (const payer of payers) {
    const deposit = await pay(payer)
    expect(deposit.payload['type']).toBe('deposit')
    expect(await facilitator().verify(deposit, requirements())).toMatchObject({ isValid: true })
    expect(await facilitator().settle(deposit, requirements())).toMatchObject({
      success: true,
      payer: payer.address,
      amount: '5000',
      extra: { channelState: { balance: '5000', totalClaimed: '0', refundNonce: '0' } },
    })
  }

  const claims = await Promise.all(
    payers.map(async (payer, index) => {
      const payment = await pay(payer)
      expect(payment.payload['type']).toBe('voucher')
      expect(await facilitator().verify(payment, requirements())).toMatchObject({ isValid: true })
      const channel = channels[index] ?? openChannel(devnet, payer)
      return claimUnder(channel, voucherOf(payment), 700n)
    }),
  )
  const claimAuthorizerSignature = await signClaims(treasury, claims)
  expect(
    await instruct({ type: 'claim', claims: onWire(claims), claimAuthorizerSignature }),
  ).toMatchObject({ success: true })
  for (const { id } of channels) expect(await balanceOf(id)).toEqual([5000n, 700n])

  expect(
    await instruct({ type: 'settle', receiver: treasury.address, token: devnet.usdc }),
  ).toMatchObject({ success: true, amount: '1400' })
  expect(await devnet.usdcBalance(treasury.address)).toBe(1400n)
})

test('the stock facilitator claims and refunds in one transaction, and the stock client continues', async () => {
  const [payer] = payers
  if (payer === undefined) throw new Error('a payer is needed')
  const channel = openChannel(devnet, payer)
  const deposit = await pay(payer)
  await facilitator().settle(deposit, requirements())
  const claims = [claimUnder(channel, voucherOf(deposit), 400n)]
  expect(
    await instruct({
      type: 'refund',
      channelConfig: channel.config,
      voucher: deposit.payload['voucher'],
      amount: '4600',
      refundNonce: '0',
      claims: onWire(claims),
      claimAuthorizerSignature: await signClaims(devnet.treasury, claims),
      refundAuthorizerSignature: await signRefund(devnet.treasury, channel.config, {
        amount: 4600n,
        nonce: 0n,
      }),
    }),
  ).toMatchObject({
    success: true,
    amount: '4600',
    extra: { channelState: { balance: '400', totalClaimed: '400', refundNonce: '1' } },
  })
  expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n - 400n)

  const next = await pay(payer)
  expect(next.payload['type']).toBe('deposit')
  expect(voucherOf(next).maxClaimableAmount).toBe('1400')
  expect(await facilitator().settle(next, requirements())).toMatchObject({
    success: true,
    extra: { channelState: { balance: '5400', totalClaimed: '400' } },
  })
})
