import type { Payer, PaymentTypedData } from './authorization.ts'

type Hex = `0x${string}`

/** A wallet in the browser, by EIP-1193. */
export type BrowserWallet = {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
}

declare global {
  // eslint-disable-next-line @typescript-eslint/consistent-type-definitions -- only an interface extends the global one
  interface Window {
    readonly ethereum?: BrowserWallet
  }
}

/** The wallet of this browser, if it has one. */
export function findWallet(): BrowserWallet | undefined {
  return window.ethereum
}

/** Connects the wallet and switches it to the chain of the payment. Throws what the wallet refuses. */
export async function connectWallet(wallet: BrowserWallet, chainId: number): Promise<Payer> {
  const [address] = (await wallet.request({ method: 'eth_requestAccounts' })) as readonly Hex[]
  if (address === undefined) throw new Error('The wallet has no account.')
  await wallet.request({
    method: 'wallet_switchEthereumChain',
    params: [{ chainId: `0x${chainId.toString(16)}` }],
  })
  return { address, sign: async (data) => await signTypedData(wallet, address, data) }
}

const domainFields = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

/** Wallets want the type of the domain too. */
async function signTypedData(
  wallet: BrowserWallet,
  address: Hex,
  data: PaymentTypedData,
): Promise<Hex> {
  const types = { EIP712Domain: domainFields, ...data.types }
  const params = [address, JSON.stringify({ ...data, types })]
  return (await wallet.request({ method: 'eth_signTypedData_v4', params })) as Hex
}
