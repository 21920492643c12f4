import { useEffect, useState } from 'preact/hooks'
import { type AnnouncedWallet, addAnnounced } from './add-announced.ts'
import type { BrowserWallet } from './browser-wallet.ts'

declare global {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface extends the global one
  interface Window {
    readonly ethereum?: BrowserWallet
  }
}

/** The wallets of this browser: those that announce themselves (EIP-6963), or else the one at `ethereum`. */
export function useWallets(): readonly AnnouncedWallet[] {
  const [announced, setAnnounced] = useState<readonly AnnouncedWallet[]>([])
  useEffect(() => {
    const add = (event: Event): void => {
      const { detail } = event as CustomEvent<Parameters<typeof addAnnounced>[1]>
      setAnnounced((known) => addAnnounced(known, detail))
    }
    window.addEventListener('eip6963:announceProvider', add)
    window.dispatchEvent(new Event('eip6963:requestProvider'))
    return () => {
      window.removeEventListener('eip6963:announceProvider', add)
    }
  }, [])
  const { ethereum } = window
  if (announced.length > 0 || ethereum === undefined) return announced
  return [{ id: 'ethereum', name: 'your wallet', wallet: ethereum }]
}
