import { createMemoryStore, type Hex } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import { isAddress } from 'viem'
import { lowerHex } from '../chain/hex.ts'
import type { Paywall } from '../paywall/assemble-paywall.ts'
import { openPaywall, openPaywallWithoutRefunds } from '../paywall/open-paywall.ts'
import type { PaywallOptions } from '../paywall/paywall-options.ts'
import { PaywallError } from '../paywall/settlement-backend.ts'
import { createKeySigner } from '../signature/key-signer.ts'
import type { SigningKey } from '../signature/signing-key.ts'

/**
 * The facilitator as x402-express accepts it, and options that settling first makes useful. Without
 * a store, payments are kept in memory and lost in a restart.
 */
export type FacilitatorConfig = Partial<
  Pick<
    PaywallOptions,
    'store' | 'publicUrl' | 'refundMinimum' | 'onEvent' | 'channels' | 'relayerKey'
  >
> & {
  /** The one of x402.org by default, which settles on Base Sepolia. */
  readonly url?: string
  readonly createAuthHeaders?: () => Promise<{ readonly settle: Readonly<Record<string, string>> }>
  /** The key of `payTo`: with it, failed responses are refunded; without it, refunds stay due. */
  readonly treasuryKey?: SigningKey
  /** A node of the routes' network; a public one by default. */
  readonly rpcUrl?: string
  /** Blocks that confirm a payment before its refund is sent. 10 by default. */
  readonly refundConfirmations?: number
}

export type SoldOn = 'base' | 'base-sepolia'

export type PricedRow = {
  readonly amount: Usdc
  readonly network: SoldOn
  readonly maxTimeoutSeconds: number
}

const defaultFacilitator = 'https://x402.org/facilitator'
const publicNodes = { base: 'https://mainnet.base.org', 'base-sepolia': 'https://sepolia.base.org' }

/**
 * Opens and starts one paywall per network: its 402s may be paid as long as the longest of its routes.
 *
 * @throws {PaywallError} `no_treasury_key` for channels without the treasury's key,
 * `no_channel_relayer` for channels without a relayer, `invalid_option` for an option that cannot work.
 */
export function openPaywalls(
  payTo: Hex,
  rows: readonly PricedRow[],
  config: FacilitatorConfig,
): ReadonlyMap<SoldOn, Paywall> {
  const { treasuryKey, url = defaultFacilitator, createAuthHeaders, ...rest } = config
  const problem = problemOf(payTo, rows, config)
  if (problem !== undefined) throw new PaywallError('invalid_option', problem)
  const { refundConfirmations, store = createMemoryStore(), ...kept } = rest
  if (kept.channels !== undefined && treasuryKey === undefined) {
    throw new PaywallError('no_treasury_key')
  }
  const authorize = createAuthHeaders && (async () => (await createAuthHeaders()).settle)
  const facilitator = { url, ...(authorize && { authorize }) }

  function open(network: SoldOn): Paywall {
    const priced = rows.filter((row) => row.network === network)
    const maxTimeoutSeconds = Math.max(...priced.map((row) => row.maxTimeoutSeconds))
    const policy = {
      maxTimeoutSeconds,
      ...(refundConfirmations !== undefined && { refundConfirmations }),
    }
    const options = { rpcUrl: publicNodes[network], ...kept, network, store, facilitator, policy }
    const paywall =
      treasuryKey === undefined
        ? openPaywallWithoutRefunds({ ...options, payTo })
        : openPaywall({ ...options, treasuryKey })
    paywall.start()
    return paywall
  }

  return new Map([...new Set(rows.map(({ network }) => network))].map((name) => [name, open(name)]))
}

function problemOf(
  payTo: Hex,
  rows: readonly PricedRow[],
  { treasuryKey, url }: FacilitatorConfig,
): string | undefined {
  if (rows.length === 0) return 'routes must have a route: without one, everything is free'
  if (!isAddress(payTo)) return 'payTo must be an address, in lower case or with its checksum'
  const owner = treasuryKey && createKeySigner(treasuryKey)?.address
  if (owner !== undefined && owner !== lowerHex(payTo)) {
    return `treasuryKey is the key of ${owner}, and payTo is ${payTo}: they must be one account`
  }
  return url === undefined && rows.some(({ network }) => network === 'base')
    ? 'url must be a facilitator that settles on base: the default one settles on base-sepolia only'
    : undefined
}
