import { encodeFunctionData, type Hex, multicall3Abi, parseEventLogs, parseSignature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import {
  type Devnet,
  type DevnetAccount,
  devnetUsdcAbi,
  multicall3Address,
  smartWalletAbi,
  startDevnet,
  usdcAddress,
} from '../../src/index.ts'
import {
  type Authorization,
  argumentsOf,
  authorize,
  type Clients,
  connect,
  signAuthorization,
  usdcDomain,
} from './authorization.ts'
import { restoreForEachTest, twoPayersOf } from './restored-devnet.ts'

const usdc = { address: usdcAddress, abi: devnetUsdcAbi } as const

let devnet: Devnet
let clients: Clients
let alice: DevnetAccount
let bob: DevnetAccount

restoreForEachTest(async () => {
  devnet = await startDevnet({ payers: 4 })
  clients = connect(devnet)
  ;[alice, bob] = twoPayersOf(devnet)
  return devnet
})

async function mined(hash: Hex): Promise<readonly { name: string; args: unknown }[]> {
  const receipt = await clients.reader.waitForTransactionReceipt({ hash })
  expect(receipt.status).toBe('success')
  return parseEventLogs({ abi: devnetUsdcAbi, logs: receipt.logs }).map((log) => ({
    name: log.eventName,
    args: log.args,
  }))
}

async function transfer(authorization: Authorization, signature: Hex): Promise<Hex> {
  return await clients.relayer.writeContract({
    ...usdc,
    functionName: 'transferWithAuthorization',
    args: [...argumentsOf(authorization), signature],
  })
}

async function transferSplit(authorization: Authorization, signature: Hex): Promise<Hex> {
  const { r, s, yParity } = parseSignature(signature)
  return await clients.relayer.writeContract({
    ...usdc,
    functionName: 'transferWithAuthorization',
    args: [...argumentsOf(authorization), 27 + yParity, r, s],
  })
}

test('describes itself as Base Sepolia USDC, without constructor storage', async () => {
  const read = async (functionName: 'name' | 'symbol' | 'decimals' | 'version'): Promise<unknown> =>
    await clients.reader.readContract({ ...usdc, functionName })
  expect(await read('name')).toBe('USDC')
  expect(await read('symbol')).toBe('USDC')
  expect(await read('version')).toBe('2')
  expect(await read('decimals')).toBe(6)
})

test('has the domain separator of FiatToken at that address', async () => {
  const separator = await clients.reader.readContract({ ...usdc, functionName: 'DOMAIN_SEPARATOR' })
  expect(separator).toMatch(/^0x71f17a3b/)
})

test.each([
  ['bytes', transfer],
  ['split', transferSplit],
])(
  'moves USDC by a signature (%s form), with AuthorizationUsed directly before Transfer',
  async (_, submit) => {
    const authorization = authorize({ from: alice.address, to: bob.address, value: 7n })
    const logs = await mined(
      await submit(authorization, await signAuthorization(alice.privateKey, authorization)),
    )
    expect(logs).toEqual([
      {
        name: 'AuthorizationUsed',
        args: { authorizer: alice.address, nonce: authorization.nonce },
      },
      { name: 'Transfer', args: { from: alice.address, to: bob.address, value: 7n } },
    ])
    expect(await devnet.usdcBalance(bob.address)).toBe(1_000_000_007n)
  },
)

test('a nonce can be used only once, even with another amount', async () => {
  const authorization = authorize({ from: alice.address, to: bob.address, value: 7n })
  const twin = { ...authorization, to: devnet.treasury.address, value: 1n }
  await mined(await transfer(twin, await signAuthorization(alice.privateKey, twin)))
  await expect(
    transfer(authorization, await signAuthorization(alice.privateKey, authorization)),
  ).rejects.toThrow('FiatTokenV2: authorization is used or canceled')
  expect(
    await clients.reader.readContract({
      ...usdc,
      functionName: 'authorizationState',
      args: [alice.address, authorization.nonce],
    }),
  ).toBe(true)
  expect(await devnet.usdcBalance(bob.address)).toBe(1_000_000_000n)
})

test('a canceled authorization counts as used and never pays', async () => {
  const authorization = authorize({ from: alice.address, to: bob.address, value: 7n })
  const cancel = await privateKeyToAccount(alice.privateKey).signTypedData({
    domain: usdcDomain,
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: alice.address, nonce: authorization.nonce },
  })
  const hash = await clients.relayer.writeContract({
    ...usdc,
    functionName: 'cancelAuthorization',
    args: [alice.address, authorization.nonce, cancel],
  })
  expect(await mined(hash)).toEqual([
    {
      name: 'AuthorizationCanceled',
      args: { authorizer: alice.address, nonce: authorization.nonce },
    },
  ])
  await expect(
    transfer(authorization, await signAuthorization(alice.privateKey, authorization)),
  ).rejects.toThrow('FiatTokenV2: authorization is used or canceled')
})

test('the bounds of the validity window are exclusive', async () => {
  const { timestamp } = await clients.reader.getBlock()
  const at = timestamp + 1000n
  let start = await devnet.snapshot()
  const attempt = async (window: { validAfter: bigint; validBefore: bigint }): Promise<Hex> => {
    const authorization = authorize({ from: alice.address, to: bob.address, value: 1n, ...window })
    const signature = await signAuthorization(alice.privateKey, authorization)
    await devnet.setNextBlockTimestamp(at)
    return await clients.relayer.writeContract({
      ...usdc,
      functionName: 'transferWithAuthorization',
      args: [...argumentsOf(authorization), signature],
      gas: 200_000n,
    })
  }
  const succeeds = async (hash: Hex): Promise<string> =>
    (await clients.reader.waitForTransactionReceipt({ hash })).status
  expect(await succeeds(await attempt({ validAfter: at, validBefore: at + 9n }))).toBe('reverted')
  await devnet.revert(start)
  start = await devnet.snapshot()
  expect(await succeeds(await attempt({ validAfter: 0n, validBefore: at }))).toBe('reverted')
  await devnet.revert(start)
  start = await devnet.snapshot()
  const inside = { validAfter: at - 1n, validBefore: at + 1n }
  expect(await succeeds(await attempt(inside))).toBe('success')
})

test('times are seconds even where OpenZeppelin would read block numbers', async () => {
  const flag = 2n ** 47n
  const authorization = authorize({
    from: alice.address,
    to: bob.address,
    value: 1n,
    validAfter: flag,
    validBefore: flag + 1_000_000n,
  })
  await expect(
    transfer(authorization, await signAuthorization(alice.privateKey, authorization)),
  ).rejects.toThrow('FiatTokenV2: authorization is not yet valid')
})

test.each([
  [
    'another key',
    (authorization: Authorization) => signAuthorization(bob.privateKey, authorization),
  ],
  [
    'another amount',
    (authorization: Authorization) =>
      signAuthorization(alice.privateKey, { ...authorization, value: authorization.value + 1n }),
  ],
])('rejects a signature of %s', async (_, sign) => {
  const authorization = authorize({ from: alice.address, to: bob.address, value: 7n })
  await expect(transfer(authorization, await sign(authorization))).rejects.toThrow(
    'FiatTokenV2: invalid signature',
  )
})

test('only the payee may call receiveWithAuthorization', async () => {
  const authorization = authorize({ from: alice.address, to: devnet.relayer.address, value: 7n })
  const receive = async (message: Authorization): Promise<Hex> =>
    await clients.relayer.writeContract({
      ...usdc,
      functionName: 'receiveWithAuthorization',
      args: [
        ...argumentsOf(message),
        await signAuthorization(alice.privateKey, message, 'ReceiveWithAuthorization'),
      ],
    })
  await expect(receive({ ...authorization, to: bob.address })).rejects.toThrow(
    'caller must be the payee',
  )
  await mined(await receive(authorization))
  expect(await devnet.usdcBalance(devnet.relayer.address)).toBe(7n)
})

test('rejects more than the balance with the message of USDC', async () => {
  const authorization = authorize({ from: alice.address, to: bob.address, value: 1_000_000_001n })
  await expect(
    transfer(authorization, await signAuthorization(alice.privateKey, authorization)),
  ).rejects.toThrow('ERC20: transfer amount exceeds balance')
})

test('a blacklisted party can neither pay nor be paid until it is cleared', async () => {
  const authorization = authorize({ from: alice.address, to: bob.address, value: 7n })
  const signature = await signAuthorization(alice.privateKey, authorization)
  for (const party of [alice, bob]) {
    await devnet.blacklist(party.address)
    await expect(transfer(authorization, signature)).rejects.toThrow(
      'Blacklistable: account is blacklisted',
    )
    await devnet.unBlacklist(party.address)
  }
  await mined(await transfer(authorization, signature))
})

test('a pause stops every transfer until it ends', async () => {
  const authorization = authorize({ from: alice.address, to: bob.address, value: 7n })
  const signature = await signAuthorization(alice.privateKey, authorization)
  await devnet.pause()
  await expect(transfer(authorization, signature)).rejects.toThrow('Pausable: paused')
  await devnet.unpause()
  await mined(await transfer(authorization, signature))
})

test('in an allow-failure batch one blacklisted payee leaves the others paid', async () => {
  const payees = [bob.address, devnet.treasury.address, devnet.relayer.address]
  await devnet.blacklist(devnet.treasury.address)
  const authorizations = payees.map((to) => authorize({ from: alice.address, to, value: 5n }))
  const calls = await Promise.all(
    authorizations.map(async (authorization) => ({
      target: usdcAddress,
      allowFailure: true,
      callData: encodeFunctionData({
        abi: devnetUsdcAbi,
        functionName: 'transferWithAuthorization',
        args: [
          ...argumentsOf(authorization),
          await signAuthorization(alice.privateKey, authorization),
        ],
      }),
    })),
  )
  const logs = await mined(
    await clients.relayer.writeContract({
      address: multicall3Address,
      abi: multicall3Abi,
      functionName: 'aggregate3',
      args: [calls],
    }),
  )
  expect(logs.map((log) => log.name)).toEqual([
    'AuthorizationUsed',
    'Transfer',
    'AuthorizationUsed',
    'Transfer',
  ])
  const used = await Promise.all(
    authorizations.map(
      async ({ from, nonce }) =>
        await clients.reader.readContract({
          ...usdc,
          functionName: 'authorizationState',
          args: [from, nonce],
        }),
    ),
  )
  expect(used).toEqual([true, false, true])
})

test.each([
  ['bytes', transfer],
  ['split', transferSplit],
])('a contract wallet pays by ERC-1271 (%s form)', async (_, submit) => {
  const wallet = await devnet.deploySmartWallet(alice.address)
  await devnet.mint(wallet, 10n)
  const authorization = authorize({ from: wallet, to: bob.address, value: 10n })
  await mined(await submit(authorization, await signAuthorization(alice.privateKey, authorization)))
  expect(await devnet.usdcBalance(wallet)).toBe(0n)
  const forged = authorize({ from: wallet, to: bob.address, value: 0n })
  await expect(submit(forged, await signAuthorization(bob.privateKey, forged))).rejects.toThrow(
    'FiatTokenV2: invalid signature',
  )
})

test.each([
  ['bytes', transfer],
  ['split', transferSplit],
])('a payer with an EIP-7702 delegation is checked by ERC-1271 (%s form)', async (_, submit) => {
  const authorization = authorize({ from: alice.address, to: bob.address, value: 7n })
  const signature = await signAuthorization(alice.privateKey, authorization)
  const delegation: Hex = `0xef0100${multicall3Address.slice(2)}`
  await devnet.setCode(alice.address, delegation)
  await expect(submit(authorization, signature)).rejects.toThrow('FiatTokenV2: invalid signature')
  await devnet.setCode(alice.address, '0x')
  await mined(await submit(authorization, signature))
})

test('permits an allowance by signature (EIP-2612, version 2)', async () => {
  const owner = alice.address
  const spender = bob.address
  const permit = { owner, spender, value: 9n, nonce: 0n, deadline: 2n ** 40n }
  const signature = await privateKeyToAccount(alice.privateKey).signTypedData({
    domain: usdcDomain,
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message: permit,
  })
  const { r, s, yParity } = parseSignature(signature)
  const submit = async (): Promise<Hex> =>
    await clients.relayer.writeContract({
      ...usdc,
      functionName: 'permit',
      args: [owner, spender, 9n, permit.deadline, 27 + yParity, r, s],
    })
  await mined(await submit())
  expect(
    await clients.reader.readContract({
      ...usdc,
      functionName: 'allowance',
      args: [owner, spender],
    }),
  ).toBe(9n)
  await expect(submit()).rejects.toThrow('EIP2612: invalid signature')
})

test("a wallet's address is known before it exists, and only its owner controls it", async () => {
  const expected = await devnet.smartWalletOf(bob.address)
  expect(await clients.reader.getCode({ address: expected })).toBeUndefined()
  expect(await devnet.deploySmartWallet(bob.address)).toBe(expected)
  const [owner, command] = await Promise.allSettled([
    clients.reader.readContract({ address: expected, abi: smartWalletAbi, functionName: 'owner' }),
    clients.relayer.writeContract({
      address: expected,
      abi: smartWalletAbi,
      functionName: 'execute',
      args: [usdcAddress, '0x'],
    }),
  ])
  expect(owner).toEqual({ status: 'fulfilled', value: bob.address })
  expect(command).toMatchObject({ status: 'rejected' })
})
