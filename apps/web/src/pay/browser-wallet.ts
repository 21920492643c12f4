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
  // Some wallets answer like this while they are locked.
  if (!Array.isArray(accounts) || accounts.length === 0) {
    throw new Error('The wallet named no account. Unlock it and connect it to this page.')
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

/** Wallets sign for the chain that they are on, and require the type of the domain too. */
async function signTypedData(wallet: BrowserWallet, address: Hex, data: TypedData): Promise<Hex> {
  await switchChain(wallet, Number(data.domain['chainId']))
  const types = { EIP712Domain: domainFields, ...data.types }
  const text = JSON.stringify({ ...data, types }, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  return parseHex(await wallet.request({ method: 'eth_signTypedData_v4', params: [address, text] }))
}

/** Switches the wallet to the chain, which is added if the wallet lacks it. */
async function switchChain(wallet: BrowserWallet, id: number): Promise<void> {
  const chainId: Hex = `0x${id.toString(16)}`
  const switching = { method: 'wallet_switchEthereumChain', params: [{ chainId }] }
  try {
    await wallet.request(switching)
  } catch (error) {
    // A wallet of a single chain may not support the method.
    if (isRefusedAs(error, unsupported) && (await isOnChain(wallet, id))) return
    const chain = addableChain(chainId)
    if (chain === undefined || !isRefusedAs(error, unknownChain)) throw error
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

async function isOnChain(wallet: BrowserWallet, id: number): Promise<boolean> {
  return Number(await wallet.request({ method: 'eth_chainId' })) === id
}

/** The code that MetaMask introduced. */
const unknownChain: readonly unknown[] = [4902]
/** An unknown method, by EIP-1193 and by JSON-RPC. */
const unsupported: readonly unknown[] = [4200, -32_601]

function isRefusedAs(error: unknown, codes: readonly unknown[]): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { code, data }: WalletError = error
  return codes.includes(code) || codes.includes(data?.originalError?.code)
}
