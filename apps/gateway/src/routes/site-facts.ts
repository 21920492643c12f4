import type { SiteFacts } from '@farebox/api'
import { type DevnetFile, payerAccount } from '@farebox/devnet'
import { formatUsdc, type Usdc } from '@farebox/money'
import type { Storefront } from '@farebox/storefront'
import type { Config } from '../settings.ts'

export type SiteFactsOptions = {
  readonly config: Pick<Config, 'NETWORK'>
  readonly storefront: Pick<Storefront, 'defaultChatModel' | 'defaultImageModel' | 'terms'>
  readonly devnet: Pick<DevnetFile, 'payers'> | undefined
  readonly publicUrl: string
  /** Undefined where nothing is sold from channels. */
  readonly channelMinimum: Usdc | undefined
}

/** What the pages of the site use about this gateway. */
export function siteFacts(options: SiteFactsOptions): SiteFacts {
  const { config, storefront, publicUrl, channelMinimum } = options
  const demoPayer = findDemoPayer(options)
  return {
    publicUrl,
    sells: true,
    network: config.NETWORK,
    defaultChatModel: storefront.defaultChatModel,
    defaultImageModel: storefront.defaultImageModel,
    minimumCharge: formatUsdc(storefront.terms.minimumCharge),
    ...(channelMinimum !== undefined && { channelMinimumCharge: formatUsdc(channelMinimum) }),
    bufferBps: storefront.terms.bufferBps,
    ...(demoPayer && { demoPayer }),
  }
}

/**
 * The payer that a page may pay with. Its key is never read from a file or a setting: it is the
 * public one of the devnet, and only if this devnet has funded it.
 */
function findDemoPayer({ config, devnet }: SiteFactsOptions): SiteFacts['demoPayer'] {
  if (config.NETWORK !== 'devnet') return undefined
  const wellKnown = payerAccount(0)
  const isFunded = devnet?.payers.some(({ address }) => address === wellKnown.address)
  return isFunded === true ? wellKnown : undefined
}
