import { type Devnet, type DevnetAccount, devnetUsdcAbi, usdcAddress } from '@farebox/devnet'
import {
  type Abi,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  parseSignature,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { cancelTypes, type signAuthorization, tokenDomain } from './pay.ts'

/** An unrelated account with gas calls the token. */
async function call(devnet: Devnet, functionName: string, args: readonly unknown[]): Promise<Hex> {
  const account = privateKeyToAccount(generatePrivateKey())
  await devnet.setEthBalance(account.address, 10n ** 18n)
  const transport = http(devnet.rpcUrl)
  const wallet = createWalletClient({ account, transport })
  const client = createPublicClient({ transport, cacheTime: 0, pollingInterval: 10 })
  const abi: Abi = devnetUsdcAbi
  const hash = await wallet.writeContract({
    address: usdcAddress,
    abi,
    functionName,
    args,
    chain: null,
  })
  const receipt = await client.waitForTransactionReceipt({ hash })
  if (receipt.status !== 'success') throw new Error(`${functionName} reverted`)
  return hash
}

/** Sends a signed authorization to the chain without a gateway. */
export async function executeAuthorization(
  devnet: Devnet,
  { message, signature }: Awaited<ReturnType<typeof signAuthorization>>,
): Promise<Hex> {
  const { from, to, value, validAfter, validBefore, nonce } = message
  const { r, s, v, yParity } = parseSignature(signature)
  const recovery = v ?? BigInt(27 + yParity)
  return await call(devnet, 'transferWithAuthorization', [
    from,
    to,
    value,
    validAfter,
    validBefore,
    nonce,
    Number(recovery),
    r,
    s,
  ])
}

export async function cancelNonce(devnet: Devnet, payer: DevnetAccount, nonce: Hex): Promise<Hex> {
  const signature = await privateKeyToAccount(payer.privateKey).signTypedData({
    domain: tokenDomain,
    types: cancelTypes,
    primaryType: 'CancelAuthorization',
    message: { authorizer: payer.address, nonce },
  })
  const { r, s, v, yParity } = parseSignature(signature)
  return await call(devnet, 'cancelAuthorization', [
    payer.address,
    nonce,
    Number(v ?? BigInt(27 + yParity)),
    r,
    s,
  ])
}

/** A stranger moves nothing out of an account, for which no allowance is needed. */
export async function moveNothing(devnet: Devnet, from: Hex): Promise<void> {
  await call(devnet, 'transferFrom', [from, usdcAddress, 0n])
}

/** A plain transfer out of an account, as its owner makes it. */
export async function transferFrom(
  devnet: Devnet,
  from: Hex,
  { to, value }: { readonly to: Hex; readonly value: bigint },
): Promise<void> {
  await devnet.rpc('anvil_impersonateAccount', [from])
  await devnet.setEthBalance(from, 10n ** 18n)
  const abi: Abi = devnetUsdcAbi
  const data = encodeFunctionData({ abi, functionName: 'transfer', args: [to, value] })
  await devnet.rpc('eth_sendTransaction', [{ from, to: usdcAddress, data }])
}
