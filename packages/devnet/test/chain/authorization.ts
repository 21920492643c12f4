import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  type PublicClient,
  type Transport,
  toHex,
  type WalletClient,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { authorizationFields } from '../../../../scripts/testing/authorization-fields.ts'
import { type Devnet, devnetUsdcAbi } from '../../src/index.ts'

export const usdcDomain = {
  name: 'USDC',
  version: '2',
  chainId: 84532,
  verifyingContract: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
} as const

export type Authorization = {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
}

let lastNonce = 0n

export function authorize(
  transfer: Pick<Authorization, 'from' | 'to' | 'value'> & Partial<Authorization>,
): Authorization {
  lastNonce += 1n
  return {
    validAfter: 0n,
    validBefore: 2n ** 40n,
    nonce: toHex(lastNonce, { size: 32 }),
    ...transfer,
  }
}

export async function signAuthorization(
  key: Hex,
  message: Authorization,
  primaryType:
    | 'TransferWithAuthorization'
    | 'ReceiveWithAuthorization' = 'TransferWithAuthorization',
): Promise<Hex> {
  return await privateKeyToAccount(key).signTypedData({
    domain: usdcDomain,
    types: { [primaryType]: authorizationFields },
    primaryType,
    message,
  })
}

export function argumentsOf(
  authorization: Authorization,
): readonly [Address, Address, bigint, bigint, bigint, Hex] {
  return [
    authorization.from,
    authorization.to,
    authorization.value,
    authorization.validAfter,
    authorization.validBefore,
    authorization.nonce,
  ]
}

/** The data of a transfer that the first payer has signed, from it to the treasury. */
export async function signedTransfer(
  { payers: [payer], treasury }: Devnet,
  value: bigint,
): Promise<Hex> {
  if (payer === undefined) throw new Error('a payer is needed')
  const it = authorize({ from: payer.address, to: treasury.address, value })
  return encodeFunctionData({
    abi: devnetUsdcAbi,
    functionName: 'transferWithAuthorization',
    args: [...argumentsOf(it), await signAuthorization(payer.privateKey, it)],
  })
}

export type Clients = {
  readonly reader: PublicClient<Transport, typeof baseSepolia>
  readonly relayer: WalletClient<Transport, typeof baseSepolia, PrivateKeyAccount>
}

export function connect(devnet: Devnet): Clients {
  const transport = http(devnet.rpcUrl, { retryCount: 0 })
  const chain = baseSepolia
  return {
    reader: createPublicClient({ chain, transport, pollingInterval: 10, cacheTime: 0 }),
    relayer: createWalletClient({
      chain,
      transport,
      account: privateKeyToAccount(devnet.relayer.privateKey),
    }),
  }
}
