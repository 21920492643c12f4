import type { PaymentNotice } from '@farebox/payments'

/** Alarms are logged at level 40. The compiler requires a kind for each new event. */
const paymentEvents = {
  payment_unknown: 'alarm',
  payment_unsolicited: 'alarm',
  service_ahead_lost: 'alarm',
  preconfirmation_lost: 'alarm',
  settlement_lost: 'alarm',
  refund_lost: 'alarm',
  refund_blocked: 'alarm',
  refund_overdue: 'alarm',
  refund_written_off: 'alarm',
  refunds_paused: 'alarm',
  sales_stopped: 'alarm',
  treasury_low: 'alarm',
  relayer_low: 'alarm',
  relayer_stuck: 'alarm',
  lease_lost: 'alarm',
  channel_frozen: 'alarm',
  channel_movement_lost: 'alarm',
  channel_withdrawal: 'alarm',
  channel_closings_delayed: 'alarm',
  channels_stopped: 'alarm',
  fault: 'alarm',
  payment_settled: 'step',
  payment_preconfirmed: 'step',
  payment_rejected: 'step',
  payment_completed: 'step',
  payment_failed: 'step',
  payment_void: 'step',
  refund_submitted: 'step',
  refund_confirmed: 'step',
  refund_found: 'step',
  refund_unblocked: 'step',
  refunds_resumed: 'step',
  sales_resumed: 'step',
  treasury_funded: 'step',
  relayer_funded: 'step',
  balances_read: 'step',
  gas_paid: 'step',
  channel_deposited: 'step',
  channel_closing: 'step',
  channel_closed: 'step',
  channel_returned: 'step',
  channels_claimed: 'step',
  channels_settled: 'step',
  channels_resumed: 'step',
} as const satisfies Readonly<Record<PaymentNotice['type'], 'alarm' | 'step'>>

/** Payment events that are logged at level 40. */
export const paymentAlarms: readonly string[] = Object.entries(paymentEvents).flatMap(
  ([event, kind]) => (kind === 'alarm' ? [event] : []),
)

/** Events that are counted from zero: Prometheus sees no increase in a counter that starts at one. */
export const countedEvents: readonly string[] = [
  ...Object.keys(paymentEvents),
  'sold_at_loss',
  'free_quota_used_up',
  'row_unreadable',
]
