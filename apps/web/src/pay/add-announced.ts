import type { BrowserWallet } from './browser-wallet.ts'

export type AnnouncedWallet = {
  readonly id: string
  /** As the wallet calls itself. */
  readonly name: string
  readonly wallet: BrowserWallet
}

/** By EIP-6963. Any script of the page may send it, so it may lack what it should have. */
type Announcement = {
  readonly info?: { readonly uuid?: string; readonly name?: string } | null
  readonly provider?: BrowserWallet | null
} | null

/** Adds a wallet that announces itself, once: some do so again, with the same id or with another. */
export function addAnnounced(
  known: readonly AnnouncedWallet[],
  announcement: Announcement,
): readonly AnnouncedWallet[] {
  const { uuid: id, name } = announcement?.info ?? {}
  const wallet = announcement?.provider
  if (!id || !name || !wallet) return known
  const isKnown = known.some((each) => each.id === id || each.wallet === wallet)
  return isKnown ? known : [...known, { id, name, wallet }]
}
