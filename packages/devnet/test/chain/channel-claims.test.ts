import {
  type Address,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  keccak256,
  maxUint128,
  parseSignature,
  serializeCompactSignature,
  serializeSignature,
  signatureToCompactSignature,
  stringToHex,
  toHex,
  zeroAddress,
} from 'viem'
import { expect, test } from 'vitest'
import {
  batchSettlementAbi,
  batchSettlementAddress,
  type Devnet,
  type DevnetAccount,
  depositCollectorAbi,
  depositCollectorAddress,
  startDevnet,
} from '../../src/index.ts'
import { type ChannelConfig, channelTyped, claimBatchOf, depositData } from './channel.ts'
import {
  claimCall,
  claimRow,
  depositCall,
  openChannel,
  signedClaimCall,
  type TestChannel,
} from './channel-calls.ts'
import { type ChannelContract, channelContract } from './channel-contract.ts'
import { restoreForEachTest, twoPayersOf } from './restored-devnet.ts'

let devnet: Devnet
let contract: ChannelContract
let payer: DevnetAccount
let other: DevnetAccount
let channel: TestChannel

restoreForEachTest(async () => {
  devnet = await startDevnet({ payers: 2 })
  contract = await channelContract(devnet)
  ;[payer, other] = twoPayersOf(devnet)
  channel = openChannel(devnet, payer)
  return devnet
})

/** A batch of one row, signed by the treasury. */
async function claimOf(...row: Parameters<typeof claimRow>): Promise<Hex> {
  return await signedClaimCall(devnet.treasury, [await claimRow(...row)])
}

test('digests are those of viem, and a channel id is the digest of its configuration', async () => {
  const settlement = { address: batchSettlementAddress, abi: batchSettlementAbi } as const
  const { readContract } = contract.read
  const { config, id: channelId } = channel
  const rows = [
    await claimRow(channel, 7n),
    await claimRow(openChannel(devnet, other), 3n, { max: 9n }),
  ]
  expect(await readContract({ ...settlement, functionName: 'getChannelId', args: [config] })).toBe(
    hashTypedData({ ...channelTyped, primaryType: 'ChannelConfig', message: config }),
  )
  expect(
    await readContract({ ...settlement, functionName: 'getVoucherDigest', args: [channelId, 7n] }),
  ).toBe(
    hashTypedData({
      ...channelTyped,
      primaryType: 'Voucher',
      message: { channelId, maxClaimableAmount: 7n },
    }),
  )
  expect(
    await readContract({
      ...settlement,
      functionName: 'getRefundDigest',
      args: [channelId, 2n, 5n],
    }),
  ).toBe(
    hashTypedData({
      ...channelTyped,
      primaryType: 'Refund',
      message: { channelId, nonce: 2n, amount: 5n },
    }),
  )
  expect(
    await readContract({ ...settlement, functionName: 'getClaimBatchDigest', args: [rows] }),
  ).toBe(hashTypedData({ ...channelTyped, primaryType: 'ClaimBatch', message: claimBatchOf(rows) }))
  expect(await readContract({ ...settlement, functionName: 'CHANNEL_CONFIG_TYPEHASH' })).toBe(
    keccak256(
      stringToHex(
        'ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)',
      ),
    ),
  )
})

test('anyone can relay a deposit, and top a channel up', async () => {
  const { config, id: channelId } = channel
  expect(await contract.send(await depositCall(channel))).toEqual([
    { name: 'ChannelCreated', args: { channelId, config } },
    {
      name: 'Deposited',
      args: { channelId, sender: devnet.relayer.address, amount: 100n, newBalance: 100n },
    },
  ])
  expect(await contract.send(await depositCall(channel, 20n), other.address)).toEqual([
    {
      name: 'Deposited',
      args: { channelId, sender: other.address, amount: 20n, newBalance: 120n },
    },
  ])
  expect(await contract.channel(channelId)).toEqual([120n, 0n])
  expect(await devnet.usdcBalance(batchSettlementAddress)).toBe(120n)
  expect(await devnet.usdcBalance(payer.address)).toBe(999_999_880n)
})

test.each<[string, Partial<ChannelConfig>, string]>([
  ['no payer', { payer: zeroAddress }, 'InvalidChannel'],
  ['no receiver', { receiver: zeroAddress }, 'InvalidChannel'],
  ['no authorizer of the receiver', { receiverAuthorizer: zeroAddress }, 'InvalidChannel'],
  ['no token', { token: zeroAddress }, 'InvalidChannel'],
  ['a delay below 15 minutes', { withdrawDelay: 899 }, 'WithdrawDelayOutOfRange'],
  ['a delay above 30 days', { withdrawDelay: 2_592_001 }, 'WithdrawDelayOutOfRange'],
])('refuses a deposit into a channel with %s', async (_, changes, error) => {
  const invalid = openChannel(devnet, payer, changes)
  expect(await contract.refusal(await depositCall(invalid))).toBe(error)
})

test('refuses a deposit of nothing, of too much, and one that its collector does not bring', async () => {
  const idle: Address = '0x00000000000000000000000000000000000c0de0'
  await devnet.setCode(idle, '0x00')
  await contract.send(await depositCall(channel))
  const refusals = await Promise.all(
    [
      depositCall(channel, 0n),
      depositCall(channel, maxUint128),
      depositCall(channel, 1n, other.address),
      depositCall(channel, 1n, idle),
    ].map(async (call) => await contract.refusal(await call)),
  )
  expect(refusals).toEqual([
    'ZeroDeposit',
    'DepositOverflow',
    'InvalidCollector',
    'DepositCollectionFailed',
  ])
})

test('an authorization pays once, into its own channel, through the settlement contract', async () => {
  const { config, id } = channel
  const data = await depositData(payer, config, 100n)
  const into = (target: ChannelConfig): Hex =>
    encodeFunctionData({
      abi: batchSettlementAbi,
      functionName: 'deposit',
      args: [target, 100n, depositCollectorAddress, data],
    })
  const collect = encodeFunctionData({
    abi: depositCollectorAbi,
    functionName: 'collect',
    args: [payer.address, devnet.usdc, 100n, id, data],
  })
  expect(await contract.refusal(into({ ...config, receiver: other.address }))).toBe(
    'FiatTokenV2: invalid signature',
  )
  expect(await contract.refusal(collect, payer.address, depositCollectorAddress)).toBe(
    'NotSettlement',
  )
  await contract.send(into(config))
  expect(await contract.refusal(into(config))).toBe(
    'FiatTokenV2: authorization is used or canceled',
  )
})

test('the receiver, its authorizer and, with a signature, anyone can claim', async () => {
  const shared = openChannel(devnet, payer, { receiverAuthorizer: other.address })
  await contract.send(await depositCall(shared))
  const first = claimCall([await claimRow(shared, 10n)])
  expect(await contract.refusal(first)).toBe('NotAuthorizedToClaim')
  await contract.send(first, devnet.treasury.address)
  await contract.send(claimCall([await claimRow(shared, 25n)]), other.address)
  const last = await signedClaimCall(other, [await claimRow(shared, 40n, { max: 60n })])
  const { relayer } = devnet
  expect(await contract.send(last)).toEqual([
    {
      name: 'Claimed',
      args: {
        channelId: shared.id,
        sender: relayer.address,
        claimAmount: 15n,
        newTotalClaimed: 40n,
      },
    },
  ])
  expect(await contract.channel(shared.id)).toEqual([100n, 40n])
})

test("refuses an empty batch, a stranger's signature and rows of two authorizers", async () => {
  await contract.send(await depositCall(channel))
  const row = await claimRow(channel, 1n)
  const foreign = openChannel(devnet, payer, { receiverAuthorizer: other.address })
  const mixed = [row, await claimRow(foreign, 1n)]
  const { address } = devnet.treasury
  expect(await contract.refusal(claimCall([]), address)).toBe('EmptyBatch')
  expect(await contract.refusal(await signedClaimCall(devnet.treasury, []))).toBe('EmptyBatch')
  expect(await contract.refusal(await signedClaimCall(other, [row]))).toBe('InvalidSignature')
  expect(await contract.refusal(await signedClaimCall(devnet.treasury, mixed))).toBe(
    'NotReceiverAuthorizer',
  )
  expect(await contract.refusal(claimCall([...mixed].reverse()), other.address)).toBe(
    'NotAuthorizedToClaim',
  )
})

test('checks the ceiling first, then the balance, then the signature', async () => {
  await contract.send(await depositCall(channel))
  const signer = other
  expect(await contract.refusal(await claimOf(channel, 101n, { max: 99n, signer }))).toBe(
    'ClaimExceedsCeiling',
  )
  expect(await contract.refusal(await claimOf(channel, 101n, { signer }))).toBe(
    'ClaimExceedsBalance',
  )
  expect(await contract.refusal(await claimOf(channel, 100n, { signer }))).toBe('InvalidSignature')
  expect(await contract.refusal(await claimOf(channel, 100n))).toBe(undefined)
})

test('skips a row that does not raise the total, without checking it', async () => {
  await contract.send(await depositCall(channel))
  await contract.send(await claimOf(channel, 50n))
  const stale = [
    await claimRow(channel, 50n, { max: 1n, signature: '0x' }),
    await claimRow(channel, 20n, { signature: '0x' }),
  ]
  expect(await contract.send(await signedClaimCall(devnet.treasury, stale))).toEqual([])
  const mixed = [...stale, await claimRow(channel, 60n)]
  const events = await contract.send(await signedClaimCall(devnet.treasury, mixed))
  expect(events.map(({ name }) => name)).toEqual(['Claimed'])
  expect(await contract.channel(channel.id)).toEqual([100n, 60n])
})

test('accepts a voucher in one form only: 65 bytes, low s, v of 27 or 28', async () => {
  await contract.send(await depositCall(channel))
  const { signature } = await claimRow(channel, 10n)
  const { r, s, yParity } = parseSignature(signature)
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const highS = toHex(order - BigInt(s), { size: 32 })
  const forms: readonly Hex[] = [
    signature,
    serializeSignature({ r, s: highS, yParity: 1 - yParity }),
    `${signature.slice(0, 130)}0${yParity}` as Hex,
    serializeCompactSignature(signatureToCompactSignature({ r, s, yParity })),
    `${signature}00`,
  ]
  const refusals = await Promise.all(
    forms.map(
      async (form) => await contract.refusal(await claimOf(channel, 10n, { signature: form })),
    ),
  )
  expect(refusals).toEqual([
    undefined,
    'ECDSAInvalidSignatureS',
    'ECDSAInvalidSignature',
    'ECDSAInvalidSignatureLength',
    'ECDSAInvalidSignatureLength',
  ])
})

test('without an authorizer the payer signs, as a wallet contract too', async () => {
  const wallet = await devnet.deploySmartWallet(payer.address)
  await devnet.mint(wallet, 100n)
  for (const from of [payer.address, wallet]) {
    const own = openChannel(devnet, payer, { payer: from, payerAuthorizer: zeroAddress })
    await contract.send(await depositCall(own))
    expect(await contract.refusal(await claimOf(own, 10n, { signer: other }))).toBe(
      'InvalidSignature',
    )
    await contract.send(await claimOf(own, 10n))
    expect(await contract.channel(own.id)).toEqual([100n, 10n])
  }
})
