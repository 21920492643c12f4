import type { PaymentNotice } from '@farebox/payments'

/** Payment events that are logged at level 40. */
export const paymentAlarms = [
  'payment_unknown',
  'payment_unsolicited',
  'service_ahead_lost',
  'preconfirmation_lost',
  'settlement_lost',
  'refund_lost',
  'refund_blocked',
  'refund_overdue',
  'refund_written_off',
  'refunds_paused',
  'sales_stopped',
  'treasury_low',
  'relayer_low',
  'relayer_stuck',
  'lease_lost',
  'channel_frozen',
  'channel_movement_lost',
  'channel_withdrawal',
  'channel_closings_delayed',
  'channels_stopped',
] as const satisfies readonly PaymentNotice['type'][]

/** The other events of payments, refunds and channels. */
const paymentSteps = [
  'payment_settled',
  'payment_rejected',
  'payment_completed',
  'payment_failed',
  'payment_void',
  'refund_submitted',
  'refund_confirmed',
  'refund_found',
  'channel_deposited',
  'channel_closing',
  'channel_closed',
  'channel_returned',
] as const satisfies readonly PaymentNotice['type'][]

/** Events that are counted from zero: Prometheus sees no increase in a counter that starts at one. */
export const countedEvents = [
  ...paymentAlarms,
  ...paymentSteps,
  'sold_at_loss',
  'free_quota_used_up',
  'row_unreadable',
  'fault',
] as const
