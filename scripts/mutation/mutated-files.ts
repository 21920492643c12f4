import type { MutatedFile } from './generate-mutants.ts'

const pricing = ['packages/pricing/test'] as const
const states = [
  'packages/ledger/test/transition',
  'packages/ledger/test/payment',
  'packages/ledger/test/memory',
] as const
const book = ['packages/ledger/test/book', 'packages/ledger/test/transition'] as const
const gate = [
  'packages/payments/test/gate/gate',
  'packages/payments/test/gate/proofs',
  'packages/payments/test/gate/hostile',
  'packages/payments/test/recovery',
] as const
const payers = [
  'packages/payments/test/gate/payer-budget',
  'packages/payments/test/gate/hostile',
  'packages/payments/test/recovery',
] as const
const plans = [
  'packages/payments/test/refund-plan',
  'packages/payments/test/gate/proofs',
  'packages/payments/test/refund',
  ...gate,
] as const
const settlements = [
  'packages/payments/test/gate/proofs',
  'packages/payments/test/gate/gate-outcomes',
  'packages/payments/test/gate/gate-faults',
  'packages/payments/test/gate/gate-facilitators',
  'packages/payments/test/gate/hostile',
] as const
const calls = [
  'packages/payments/test/channel-gate/hostile-vouchers',
  'packages/payments/test/channel-gate/deposits/deposits',
  'packages/payments/test/channel-gate/stock-client',
] as const
const deposits = [
  'packages/payments/test/channel-gate/deposits/deposits',
  'packages/payments/test/channel-gate/deposits/deposit-limits',
  'packages/payments/test/channel-gate/hostile-vouchers',
] as const
const resumedDeposits = [
  'packages/payments/test/channel-gate/deposits/deposits',
  'packages/payments/test/channel-gate/deposits/deposit-limits',
  'packages/payments/test/channel-gate/deposits/waiting-deposits',
  'packages/payments/test/channel-gate/stock-client',
  'packages/payments/test/channel-gate/hostile-vouchers',
] as const
const vouchers = ['packages/payments/test/channel-gate/hostile-vouchers'] as const
const followed = [
  'packages/payments/test/recovery/recover-finality',
  'packages/payments/test/recovery/followed-settlements',
  'packages/payments/test/recovery/clock-skew',
] as const
const channelStates = ['packages/ledger/test/channel', 'packages/ledger/test/memory'] as const
const chat = ['apps/gateway/test/chat', 'apps/gateway/test/wires/cut-streams'] as const
const prices = [
  'apps/gateway/test/paid/quote/quoting',
  'apps/gateway/test/compose/live-prices',
  'apps/gateway/test/paid/paid-path',
] as const

/** Files that are changed at each operator. Each line of them decides about money. */
export const mutatedFiles: readonly MutatedFile[] = [
  { file: 'packages/pricing/src/chat/quote-chat.ts', tests: pricing },
  { file: 'packages/pricing/src/chat/price-usage.ts', tests: pricing },
  { file: 'packages/pricing/src/chat/highest-rates.ts', tests: pricing },
  { file: 'packages/pricing/src/chat/peak.ts', tests: pricing },
  { file: 'packages/pricing/src/image/image-cost.ts', tests: pricing },
  { file: 'packages/pricing/src/image/price-images.ts', tests: pricing },
  { file: 'packages/pricing/src/image/quote-image.ts', tests: pricing },
  { file: 'packages/pricing/src/terms/selling-price.ts', tests: pricing },
  { file: 'packages/pricing/src/terms/usd-fraction.ts', tests: pricing },
  { file: 'packages/ledger/src/payment/reconcile.ts', tests: states },
  { file: 'packages/ledger/src/transition/transition.ts', tests: states },
  { file: 'packages/ledger/src/transition/transition-refund.ts', tests: states },
  { file: 'packages/ledger/src/transition/transition-refund-transfer.ts', tests: states },
  { file: 'packages/ledger/src/book/ledger-position.ts', tests: book },
  {
    file: 'packages/payments/src/settlement/settlement-verdict.ts',
    tests: [
      'packages/payments/test/settlement/settlement-verdict',
      'packages/payments/test/settlement/sold-elsewhere',
    ],
  },
  { file: 'packages/payments/src/settlement/settle-payment.ts', tests: settlements },
  { file: 'packages/payments/src/recovery/recover-finality.ts', tests: followed },
  { file: 'packages/payments/src/recovery/recover-unserved.ts', tests: followed },
  { file: 'packages/payments/src/policy/payer-budget.ts', tests: payers },
  { file: 'packages/payments/src/gate/check-payer.ts', tests: payers },
  { file: 'packages/payments/src/gate/refuse-payer.ts', tests: payers },
  { file: 'packages/payments/src/refund-plan/refund-plan.ts', tests: plans },
  { file: 'packages/payments/src/refund-plan/refund-in-full.ts', tests: plans },
  { file: 'packages/payments/src/refund-plan/end-unserved.ts', tests: plans },
  {
    file: 'packages/payments/src/refund-worker/check-refund.ts',
    tests: ['packages/payments/test/refund-worker/check-refund'],
  },
  {
    file: 'packages/payments/src/refund-worker/resolve-refund.ts',
    tests: ['packages/payments/test/refund-worker/refund-decisions'],
  },
  {
    file: 'packages/payments/src/refund-worker/prepare-refund.ts',
    tests: ['packages/payments/test/refund-worker/prepare-refund'],
  },
  {
    file: 'packages/payments/src/refund-worker/record-outcome.ts',
    tests: ['packages/payments/test/refund-worker/record-outcome'],
  },
  {
    file: 'packages/payments/src/refund-worker/refund-round.ts',
    tests: [
      'packages/payments/test/refund-worker/refund-loop',
      'packages/payments/test/refund-worker/refund-round',
    ],
  },
  {
    file: 'packages/payments/src/refund-worker/refund-worker.ts',
    tests: [
      'packages/payments/test/refund-worker/refund-loop',
      'packages/payments/test/refund-worker/refund-worker',
    ],
  },
  {
    file: 'packages/payments/src/refund-worker/send-refunds.ts',
    tests: ['packages/payments/test/refund-worker/send-refunds'],
  },
  {
    file: 'packages/payments/src/refund-worker/sign-refund.ts',
    tests: ['packages/payments/test/refund-worker/send-refunds'],
  },
  {
    file: 'packages/payments/src/refund-worker/refund-breaker.ts',
    tests: ['packages/payments/test/refund-worker/refund-limits'],
  },
  {
    file: 'packages/payments/src/refund-worker/treasury-grant.ts',
    tests: ['packages/payments/test/refund-worker/refund-limits'],
  },
  {
    file: 'packages/payments/src/refund-worker/batch-small-refunds.ts',
    tests: [
      'packages/payments/test/refund-worker/batch-small-refunds',
      'packages/payments/test/refund-worker/refund-round',
    ],
  },
  {
    file: 'packages/payments/src/refund-worker/match-transfers.ts',
    tests: ['packages/payments/test/refund-worker/match-transfers'],
  },
  { file: 'packages/ledger/src/transition/payment-change.ts', tests: states },
  { file: 'packages/ledger/src/channel/transition-channel.ts', tests: channelStates },
  { file: 'packages/ledger/src/channel/admits-call.ts', tests: channelStates },
  {
    file: 'packages/ledger/src/channel/call-limits.ts',
    tests: ['packages/ledger/test/channel', 'packages/ledger/test/sql/sqlite-store'],
  },
  { file: 'packages/ledger/src/channel/channel-amounts.ts', tests: channelStates },
  { file: 'packages/ledger/src/channel/channel-movement.ts', tests: channelStates },
  { file: 'packages/ledger/src/channel/channel-of-payment.ts', tests: channelStates },
  { file: 'packages/ledger/src/channel/channel-lines.ts', tests: channelStates },
  { file: 'packages/payments/src/channel-gate/check-channel.ts', tests: vouchers },
  { file: 'packages/payments/src/channel-gate/admit-call.ts', tests: calls },
  { file: 'packages/payments/src/channel-gate/check-deposit.ts', tests: deposits },
  {
    file: 'packages/payments/src/channel-gate/correct-call.ts',
    tests: [
      'packages/payments/test/channel-gate/correct-call',
      'packages/payments/test/channel-gate/refused-vouchers',
      'packages/payments/test/channel-gate/stock-client',
    ],
  },
  { file: 'packages/payments/src/channel-gate/admit-deposit.ts', tests: resumedDeposits },
  {
    file: 'packages/payments/src/channel-chain/claim-batch.ts',
    tests: ['packages/payments/test/channel-chain/claim-batch'],
  },
  {
    file: 'packages/payments/src/channel-chain/settle-round.ts',
    tests: ['packages/payments/test/channel-chain/settle-round'],
  },
  {
    file: 'packages/payments/src/channel-chain/apply-log.ts',
    tests: [
      'packages/payments/test/channel-chain/apply-log',
      'packages/payments/test/channel-chain/claims',
    ],
  },
  {
    file: 'packages/payments/src/channel-chain/watch-round.ts',
    tests: [
      'packages/payments/test/channel-chain/watch-round',
      'packages/payments/test/channel-chain/claims',
    ],
  },
  {
    file: 'packages/payments/src/channel-chain/claim-round.ts',
    tests: [
      'packages/payments/test/channel-chain/claim-round',
      'packages/payments/test/channel-chain/claims',
    ],
  },
  {
    file: 'packages/payments/src/channel-chain/close-round.ts',
    tests: [
      'packages/payments/test/channel-chain/close-round',
      'packages/payments/test/channel-chain/closings',
    ],
  },
  {
    file: 'packages/payments/src/channel-chain/book-used-nonce.ts',
    tests: [
      'packages/payments/test/channel-chain/close-round',
      'packages/payments/test/channel-chain/closings',
      'packages/payments/test/channel-chain/watch-round',
    ],
  },
  {
    file: 'packages/payments/src/channel-gate/deposit-budget.ts',
    tests: ['packages/payments/test/channel-gate/deposits/deposit-budget'],
  },
  {
    file: 'packages/payments/src/channel-gate/exposure.ts',
    tests: ['packages/payments/test/channel-gate/exposure'],
  },
  {
    file: 'packages/payments/src/scheduling/recent-reading.ts',
    tests: [
      'packages/payments/test/channel-gate/exposure',
      'packages/payments/test/scheduling/recent-reading',
    ],
  },
  {
    file: 'packages/payments/src/policy/overlap-risk.ts',
    tests: ['packages/payments/test/policy/overlap-risk'],
  },
  {
    file: 'packages/payments/src/settlement/release-with-preconfirmation.ts',
    tests: ['packages/payments/test/settlement/release-with-preconfirmation'],
  },
  {
    file: 'packages/payments/src/relayer/preconfirmations.ts',
    tests: ['packages/payments/test/relayer/preconfirmations'],
  },
  {
    file: 'packages/payments/src/audit/audit-channel-events.ts',
    tests: ['packages/payments/test/audit/audit-channel-events'],
  },
  {
    file: 'packages/payments/src/policy/revert-risk.ts',
    tests: ['packages/payments/test/gate/revert-risk'],
  },
  {
    file: 'packages/payments/src/policy/unserved-budget.ts',
    tests: ['packages/payments/test/gate/unserved-budget'],
  },
  { file: 'apps/gateway/src/chat/bill-chat.ts', tests: chat },
  { file: 'apps/gateway/src/chat/unmetered-basis.ts', tests: chat },
  { file: 'apps/gateway/src/paid/quote/quoting.ts', tests: prices },
  {
    file: 'apps/gateway/src/paid/paid-route.ts',
    tests: ['apps/gateway/test/paid/paid-route', 'apps/gateway/test/paid/overlap'],
  },
]
