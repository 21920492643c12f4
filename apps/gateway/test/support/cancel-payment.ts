import { type Devnet, devnetUsdcAbi, usdcAddress } from '@farebox/devnet'
import { createWalletClient, type Hex, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

/** The payer cancels what it signed, in the next block and before our transaction. */
export async function cancelPayment(
  devnet: Pick<Devnet, 'rpcUrl' | 'setEthBalance'>,
  payer: { readonly privateKey: Hex },
  nonce: Hex,
): Promise<void> {
  const signer = privateKeyToAccount(payer.privateKey)
  const authorizer = signer.address
  const signature = await signer.signTypedData({
    domain: { name: 'USDC', version: '2', chainId: 84532, verifyingContract: usdcAddress },
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer, nonce },
  })
  const account = privateKeyToAccount(generatePrivateKey())
  await devnet.setEthBalance(account.address, 10n ** 20n)
  const fee = 10n ** 12n
  await createWalletClient({ account, transport: http(devnet.rpcUrl) }).writeContract({
    address: usdcAddress,
    abi: devnetUsdcAbi,
    functionName: 'cancelAuthorization',
    args: [authorizer, nonce, signature],
    chain: null,
    gas: 200_000n,
    maxFeePerGas: fee,
    maxPriorityFeePerGas: fee,
  })
}

/** The nonce of the authorization in a payment header. */
export function nonceOf({ 'PAYMENT-SIGNATURE': header }: { 'PAYMENT-SIGNATURE': string }): Hex {
  const { payload } = JSON.parse(Buffer.from(header, 'base64').toString()) as {
    payload: { authorization: { nonce: Hex } }
  }
  return payload.authorization.nonce
}
