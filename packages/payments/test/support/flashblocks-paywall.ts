import type { Devnet } from '@farebox/devnet'
import type { PaymentPolicy } from '@farebox/payments'
import {
  createInProcessFacilitator,
  createPreconfirmations,
  createTransactionQueue,
} from '@farebox/payments/chain'
import { network, usdc } from './pay.ts'
import { openTestPaywall, price, type TestPaywall } from './test-paywall.ts'

export type FlashblocksPaywallOptions = {
  readonly devnet: Devnet
  /** The node that shows preconfirmations, or does not. */
  readonly rpcUrl: string
  readonly policy?: Partial<PaymentPolicy>
  readonly store?: TestPaywall['store']
  readonly timers?: Parameters<typeof openTestPaywall>[0]['timers']
  /** How long a transaction may stay unmined before it is replaced. */
  readonly stuckAfterMs?: number
}

/** Two payments of one payer, three in all. */
const risks = {
  maxRiskPerPayer: usdc(2n * price),
  maxRiskTotal: usdc(3n * price),
  riskWindowMs: 60_000,
}

/** A paywall that releases with preconfirmations of its node. */
export function openFlashblocksPaywall({
  devnet,
  rpcUrl,
  policy,
  stuckAfterMs,
  ...options
}: FlashblocksPaywallOptions): TestPaywall {
  const preconfirmations = createPreconfirmations({ rpcUrl })
  const parts = { rpcUrl, network, preconfirmations }
  const queue = createTransactionQueue({
    ...parts,
    key: devnet.relayer.privateKey,
    pollMs: 10,
    ...(stuckAfterMs && { stuckAfterMs }),
  })
  const facilitator = createInProcessFacilitator({ ...parts, queue })
  return openTestPaywall({
    ...options,
    devnet,
    rpcUrl,
    queue,
    facilitator,
    policy: { ...risks, releaseWith: 'preconfirmation', ...policy },
  })
}
