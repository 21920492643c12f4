import type { PaymentSigner, TypedData } from '@farebox/client'
import { addableChain } from './addable-chain.ts'
import { parseHex } from './parse-hex.ts'

type Hex = `0x${string}`

/** A wallet in the browser, by EIP-1193. */
export type BrowserWallet = {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
}

/** Connects the wallet. Throws what the wallet refuses. */
export async function connectWallet(wallet: BrowserWallet): Promise<PaymentSigner> {
  const accounts = await wallet.request({ method: 'eth_requestAccounts' })
  // So some wallets say that they are locked.
  if (!Array.isArray(accounts) || accounts.length === 0) {
    throw new Error(
      'The wallet named no account. Unlock it and connect it to this page. Nothing was paid.',
    )
  }
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
  await switchChain(wallet, Number(data.domain['chainId']))
  const types = { EIP712Domain: domainFields, ...data.types }
  const text = JSON.stringify({ ...data, types }, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  return parseHex(await wallet.request({ method: 'eth_signTypedData_v4', params: [address, text] }))
}

/** Switches the wallet to the chain, which is added if the wallet does not know it. */
async function switchChain(wallet: BrowserWallet, id: number): Promise<void> {
  const chainId: Hex = `0x${id.toString(16)}`
  const switching = { method: 'wallet_switchEthereumChain', params: [{ chainId }] }
  try {
    await wallet.request(switching)
  } catch (error) {
    const chain = addableChain(chainId)
    if (chain === undefined || !isUnknownChain(error)) throw error
    await wallet.request({ method: 'wallet_addEthereumChain', params: [chain] })
    // EIP-3085 lets a wallet add a chain without switching to it.
    await wallet.request(switching)
  }
}

type WalletError = {
  readonly code?: unknown
  /** Where MetaMask's app has the error itself. */
  readonly data?: { readonly originalError?: { readonly code?: unknown } }
}

/** Whether the wallet does not know the chain: code 4902, as MetaMask introduced it. */
function isUnknownChain(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { code, data }: WalletError = error
  return code === 4902 || data?.originalError?.code === 4902
}
