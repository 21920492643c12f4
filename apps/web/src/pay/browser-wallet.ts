import type { PaymentSigner, TypedData } from '@farebox/client'
import { parseHex } from './parse-hex.ts'

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

/** Connects the wallet. Throws what the wallet refuses. */
export async function connectWallet(wallet: BrowserWallet): Promise<PaymentSigner> {
  const accounts = await wallet.request({ method: 'eth_requestAccounts' })
  if (!Array.isArray(accounts) || accounts.length === 0)
    throw new Error('The wallet has no account.')
  const address = parseHex(accounts[0])
  return { address, signTypedData: async (data) => await signTypedData(wallet, address, data) }
}

const domainFields = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

/** Wallets sign for the chain that they are on, and want the type of the domain too. */
async function signTypedData(wallet: BrowserWallet, address: Hex, data: TypedData): Promise<Hex> {
  const chainId = `0x${Number(data.domain['chainId']).toString(16)}`
  await wallet.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
  const types = { EIP712Domain: domainFields, ...data.types }
  const text = JSON.stringify({ ...data, types }, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  return parseHex(await wallet.request({ method: 'eth_signTypedData_v4', params: [address, text] }))
}
