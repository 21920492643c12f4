import { useEffect, useState } from 'preact/hooks'
import type { BrowserWallet } from './browser-wallet.ts'

export type NamedWallet = {
  /** As the wallet calls itself, or "your wallet". */
  readonly name: string
  readonly wallet: BrowserWallet
}

/** By EIP-6963. */
type Announcement = {
  readonly info: { readonly uuid: string; readonly name: string }
  readonly provider: BrowserWallet
}

declare global {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface extends the global one
  interface Window {
    readonly ethereum?: BrowserWallet
  }
}

/** The wallets of this browser: those that announce themselves (EIP-6963), or else the one at `ethereum`. */
export function useWallets(): readonly NamedWallet[] {
  const [announced, setAnnounced] = useState<ReadonlyMap<string, NamedWallet>>(new Map())
  useEffect(() => {
    const add = (event: Event): void => {
      const { info, provider } = (event as CustomEvent<Announcement>).detail
      setAnnounced((known) => new Map(known).set(info.uuid, { name: info.name, wallet: provider }))
    }
    window.addEventListener('eip6963:announceProvider', add)
    window.dispatchEvent(new Event('eip6963:requestProvider'))
    return () => {
      window.removeEventListener('eip6963:announceProvider', add)
    }
  }, [])
  if (announced.size > 0) return [...announced.values()]
  const { ethereum } = window
  return ethereum === undefined ? [] : [{ name: 'your wallet', wallet: ethereum }]
}
