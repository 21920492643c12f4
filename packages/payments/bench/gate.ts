// What a sale costs the gateway's process, without the chain: decoding, the check of the signature,
// the claim, the proof and the three writes of a life, in memory and on SQLite. The chain and the
// facilitator answer at once, so that only our own CPU is counted.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryStore, type Hex, type LedgerStore } from '@farebox/ledger'
import { openLedger } from '@farebox/ledger/sql'
import { atomicUsdc } from '@farebox/money'
import { type AdmissionRequest, paymentNetwork } from '@farebox/payments'
import type { ChainReader } from '@farebox/payments/chain'
import { createPaymentGate, fixedRefundMinimum } from '@farebox/payments/parts'
import { paymentRequirements } from '@farebox/payments/wire'
import { toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { authorizationTypes } from '../test/support/pay.ts'

const network = paymentNetwork('devnet')
const payTo: Hex = `0x${'7e'.repeat(20)}`
const price = atomicUsdc(10_000n)
const sales = Number(process.argv[2] ?? 1_000)
const atOnce = 16

const resource = { url: 'http://127.0.0.1/v1/chat/completions', description: '', mimeType: '' }
const payer = privateKeyToAccount(generatePrivateKey())
async function signedRequest(): Promise<AdmissionRequest> {
  const message = {
    from: payer.address,
    to: payTo,
    value: price,
    validAfter: 0n,
    validBefore: BigInt(Math.floor(Date.now() / 1000) + 240),
    nonce: toHex(randomBytes(32)),
  }
  const domain = { ...network.domain, chainId: network.chainId, verifyingContract: network.usdc }
  const primaryType = 'TransferWithAuthorization'
  const signature = await payer.signTypedData({
    domain,
    types: authorizationTypes,
    primaryType,
    message,
  })
  const authorization = {
    ...message,
    value: message.value.toString(),
    validAfter: '0',
    validBefore: message.validBefore.toString(),
  }
  const accepted = paymentRequirements({ network, payTo, maxTimeoutSeconds: 300 }, price)
  const payment = { x402Version: 2, resource, accepted, payload: { signature, authorization } }
  return {
    headers: { 'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64') },
    resource,
    offers: [{ amount: price, model: 'bench', priceVersion: '1' }],
    requestDigest: 'a'.repeat(64),
    challenge: {},
  }
}

let block = 1
const chain: ChainReader = {
  head: async () => ({ number: 0, hash: toHex(0, { size: 32 }), timestamp: 0 }),
  async authorizationUse() {
    block += 1
    const hash = toHex(block, { size: 32 })
    const proof = { transaction: hash, block, blockHash: hash, logIndex: 1 }
    return { status: 'transferred', to: payTo, value: price, proof }
  },
  confirmationsOf: async () => 100,
  depositProof: async () => null,
  transfersOf: async () => [],
  balanceOf: async () => price,
  nativeBalanceOf: async () => 0n,
  payerOf: async () => ({ balance: price, code: null }),
  tokenControls: async () => ({ isPaused: false, isBlocked: false }),
  hasCode: async () => false,
  codeOf: async () => null,
  gasPrice: async () => 1n,
  transactionOf: async () => null,
  acceptsSignature: async () => false,
}

async function measure(name: string, store: LedgerStore): Promise<void> {
  const gate = createPaymentGate({
    store,
    chain,
    facilitator: {
      name: 'at once',
      settle: async () => ({ status: 'settled', transaction: toHex(1, { size: 32 }) }),
    },
    network,
    payTo,
    clock: Date.now,
    randomBytes,
    refundMinimum: fixedRefundMinimum(atomicUsdc(1n)),
    owner: 'bench',
  })
  const requests: AdmissionRequest[] = []
  for (let index = 0; index < sales; index += 1) requests.push(await signedRequest())
  const queue = requests.values()
  const cpu = process.cpuUsage()
  const started = performance.now()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const request of queue) {
        const admission = await gate.admit(request)
        if (admission.status !== 'settled') throw new Error(admission.status)
        const begun = await gate.begin(admission.payment)
        const outcome = { cost: atomicUsdc(4_000n), usage: null, answer: null }
        await gate.complete(begun.payment, outcome)
      }
    }),
  )
  const elapsed = performance.now() - started
  const { user, system } = process.cpuUsage(cpu)
  const each = (amount: number): string => (amount / sales).toFixed(0)
  process.stdout.write(
    `${name}: ${each(user + system)} µs of CPU a sale (${each(user)} of it ours), ` +
      `${((sales / elapsed) * 1000).toFixed(0)} sales a second\n`,
  )
  gate.close()
}

const folder = mkdtempSync(join(tmpdir(), 'farebox-bench-'))
await measure('warm-up', createMemoryStore())
await measure('memory', createMemoryStore())
const sqlite = await openLedger({ url: `sqlite:${join(folder, 'ledger.db')}` })
await measure('SQLite', sqlite)
await sqlite.close()
rmSync(folder, { recursive: true })
