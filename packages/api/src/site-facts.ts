/** What the pages of the site need to know about the service that serves them. */
export type SiteFacts = {
  /** The address of the service, without a trailing slash. */
  readonly publicUrl: string
  /** Whether calls can be bought here; the estimator only estimates. */
  readonly sells: boolean
  readonly network: 'base' | 'base-sepolia' | 'devnet'
  readonly defaultChatModel: string
  readonly defaultImageModel: string
  /** The least that a paid call costs, as decimal text in USD. */
  readonly minimumCharge: string
  /** The least that a call from a payment channel costs, in USD; absent if none is sold. */
  readonly channelMinimumCharge?: string
  /** The safety margin on the quoted maximum, in basis points. */
  readonly bufferBps: number
  /** On the devnet only: a payer whose key is public, with test money. */
  readonly demoPayer?: { readonly address: string; readonly privateKey: string }
}
