// Faster tests of the same: audit, redaction, doctor and transaction-queue.
import {
  burningWallet,
  type Devnet,
  type DevnetAccount,
  delegateTo,
  startDevnet,
  usdcAddress,
} from '@farebox/devnet'
import { startRpcFaults } from '@farebox/devnet/faults'
import { createWalletClient, type Hex, http, parseAbi, parseSignature, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authorizationFields } from '../../../../scripts/testing/authorization-fields.ts'
import { answerWith, openUpstream, type UpstreamServer } from '../contract/upstream-server.ts'
import { chatOf } from '../support/buy.ts'
import { chatPath, post } from '../support/sign-payment.ts'
import {
  type Attacked,
  attackedOn,
  figure,
  pause,
  signedFor,
  statusOf,
  unpaidStatus,
} from './attacked-gateway.ts'

const body = chatOf('hello', { model: 'openai/gpt-4.1' })

let upstream: UpstreamServer
let devnet: Devnet
let settings: Readonly<Record<string, string>>
beforeAll(async () => {
  upstream = await openUpstream({
    hello: (response) => answerWith(response, 'hello', { prompt_tokens: 8, completion_tokens: 5 }),
  })
  devnet = await startDevnet({ payers: 8 })
  settings = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: upstream.url }
})
afterAll(async () => {
  await devnet.stop()
  upstream.close()
})

async function withGateway(
  environment: Readonly<Record<string, string>>,
  attack: (gateway: Attacked) => Promise<void>,
): Promise<void> {
  const gateway = await attackedOn(devnet, { ...settings, ...environment })
  try {
    await attack(gateway)
  } finally {
    await gateway.stop()
  }
}

const token = parseAbi([
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])

/** A stranger with their own gas. */
async function stranger() {
  const account = privateKeyToAccount(generatePrivateKey())
  await devnet.setEthBalance(account.address, 10n ** 18n)
  const transport = http(devnet.rpcUrl)
  return createWalletClient({ account, transport }).extend(publicActions)
}

test('a transfer of nothing out of the treasury', async () => {
  await withGateway({}, async (gateway) => {
    const client = await stranger()
    const hash = await client.writeContract({
      address: usdcAddress,
      abi: token,
      functionName: 'transferFrom',
      args: [devnet.treasury.address, client.account.address, 0n],
      chain: null,
    })
    await client.waitForTransactionReceipt({ hash })
    const { code } = await gateway.command('audit')
    figure(`audit after a transfer of nothing: exit ${code}`)
    expect(code).toBe(0)
  })
})

test('a node that is down, at an address with a key', async () => {
  const node = await startRpcFaults({ target: devnet.rpcUrl })
  const address = `${node.url}/v3/SECRETKEY123?token=SECRETKEY456`
  await withGateway({ RPC_URL: address }, async ({ running }) => {
    node.setRule(() => ({ kind: 'status', status: 503 }))
    await pause(5)
    const saying = (words: string) =>
      running
        .output()
        .split('\n')
        .filter((line) => line.includes(words)).length
    await expect.poll(() => saying('503')).toBeGreaterThan(0)
    figure(
      `a node that is down: ${saying('503')} lines about it, ${saying('SECRETKEY')} with its key`,
    )
    expect(saying('SECRETKEY')).toBe(0)
  })
  await node.stop()
})

/** As on a public chain, where the gateway asks the node less often. */
const onPublicChain = () => ({
  NETWORK: 'base-sepolia',
  TREASURY_PRIVATE_KEY: devnet.treasury.privateKey,
  RELAYER_PRIVATE_KEY: devnet.relayer.privateKey,
  PUBLIC_URL: 'http://127.0.0.1',
})

test('the smallest calls, sold below the cost of their gas', async () => {
  await withGateway(onPublicChain(), async (gateway) => {
    const { stdout } = await gateway.command('doctor')
    const told = stdout.split('\n').find((line) => line.includes('MIN_CHARGE_USDC is'))
    figure(`doctor: ${told?.trim() ?? 'nothing about the minimum charge'}`)
    expect(told ?? '').toContain('gas')
  })
})

test('a settlement that no block includes, and an honest one', async () => {
  await withGateway(onPublicChain(), async (gateway) => {
    const [, , wallet, honest] = devnet.payers
    await delegateTo(devnet, wallet!.address, burningWallet(26_000_000))
    let alone = 0
    for (let asked = 0; asked < 3; asked += 1) {
      alone = Math.max(alone, await secondsOf(gateway, honest!))
    }
    const state: { burnt?: number } = {}
    const burning = statusOf(gateway, { payer: wallet!, body }).then((it) => (state.burnt = it))
    let beside = 0
    do {
      beside = Math.max(beside, await secondsOf(gateway, honest!))
    } while (state.burnt === undefined)
    await burning
    figure(
      `an honest payment: ${alone.toFixed(2)} s alone, ${beside.toFixed(2)} s next to one that no block takes (${state.burnt})`,
    )
    // One that waited for the other would wait until that counts as stuck, 15 seconds.
    expect(beside).toBeLessThan(Math.max(15, 2 * alone))
  })
})

/** How long an honest payment takes. A node without a block for two minutes counts as down. */
async function secondsOf(gateway: Attacked, payer: DevnetAccount): Promise<number> {
  const sells = async () => {
    await devnet.mine(1)
    return await unpaidStatus(gateway, body)
  }
  await expect.poll(sells).toBe(402)
  const begun = performance.now()
  expect(await statusOf(gateway, { payer, body })).toBe(200)
  return (performance.now() - begun) / 1000
}

type Authorization = Readonly<
  Record<'from' | 'to' | 'validAfter' | 'validBefore' | 'nonce', string>
>

test('another transfer under the nonce of a payment', async () => {
  await withGateway({}, async (gateway) => {
    const [payer] = devnet.payers
    const headers = await signedFor(gateway, { payer: payer!, body })
    const header = Buffer.from(headers['PAYMENT-SIGNATURE'] ?? '', 'base64').toString()
    const { payload } = JSON.parse(header) as { payload: { authorization: Authorization } }
    await executeTwin(payer!.privateKey, payload.authorization)
    const presented = await post(gateway, chatPath, { body, headers })
    await devnet.increaseTime(1_000)
    const audited = async () => (await gateway.command('audit')).code
    await expect.poll(audited).toBe(0)
    figure(`audit after a twin of a nonce: ${presented.status}, exit 0`)
  })
})

/** Transfers one unit under the nonce of an authorization. */
async function executeTwin(key: Hex, authorization: Authorization): Promise<void> {
  const { from, to, validAfter, validBefore, nonce } = authorization
  const message = {
    from: from as Hex,
    to: to as Hex,
    value: 1n,
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
    nonce: nonce as Hex,
  }
  const signature = await privateKeyToAccount(key).signTypedData({
    domain: { name: 'USDC', version: '2', chainId: 84_532, verifyingContract: usdcAddress },
    types: {
      TransferWithAuthorization: authorizationFields,
    },
    primaryType: 'TransferWithAuthorization',
    message,
  })
  const { r, s, yParity } = parseSignature(signature)
  const client = await stranger()
  const hash = await client.writeContract({
    address: usdcAddress,
    abi: token,
    functionName: 'transferWithAuthorization',
    args: [
      message.from,
      message.to,
      message.value,
      message.validAfter,
      message.validBefore,
      message.nonce,
      27 + yParity,
      r,
      s,
    ],
    chain: null,
  })
  const { status } = await client.waitForTransactionReceipt({ hash })
  expect(status).toBe('success')
}
