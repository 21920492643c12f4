import type { GasPaid } from '@farebox/ledger'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { countedEvents } from './alarms.ts'

export type Metrics = {
  readonly registry: Registry
  readonly requests: Counter<'status'>
  readonly requestSeconds: Histogram
  readonly payments: Counter<'event'>
  readonly rateLimitFallbacks: Counter
  readonly providerKeysRejected: Counter<'provider'>
  readonly refundsPaused: Gauge
  readonly salesStopped: Gauge<'reason'>
  readonly channelsStopped: Gauge<'reason'>
  readonly channelClaims: Counter<'outcome'>
  readonly channelsSettled: Counter
  readonly dependencyUp: Gauge<'name'>
  readonly sales: Counter<'model'>
  readonly revenue: Counter<'model'>
  readonly paid: Counter<'model'>
  readonly upstream: Counter<'model'>
  readonly overlapLost: Counter
  readonly gas: Counter
  readonly relayerTransactions: Counter
  readonly tokens: Counter<'model' | 'direction'>
  readonly freeCalls: Counter<'model'>
  readonly free: Counter<'model'>
  readonly treasury: Gauge
  readonly relayer: Gauge
}

/**
 * The metrics of one gateway, in their own registry. Labels that are known start at zero: Prometheus
 * counts an increase from the first value that it has seen.
 */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    ...moneyMetrics(registers),
    requests: countedResponses(registers),
    requestSeconds: new Histogram({
      name: 'farebox_request_seconds',
      help: 'Seconds from a request to the end of its response',
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
      registers,
    }),
    payments: paymentEvents(registers),
    rateLimitFallbacks: new Counter({
      name: 'farebox_rate_limit_fallbacks_total',
      help: 'Requests counted in this process alone because Redis was unavailable',
      registers,
    }),
    providerKeysRejected: new Counter({
      name: 'farebox_provider_keys_rejected_total',
      help: 'Calls that a provider refused because of its API key',
      labelNames: ['provider'],
      registers,
    }),
    refundsPaused: new Gauge({
      name: 'farebox_refunds_paused',
      help: '1 while refunds are paused',
      registers,
    }),
    salesStopped: new Gauge({
      name: 'farebox_sales_stopped',
      help: '1 while sales are stopped for this reason',
      labelNames: ['reason'],
      registers,
    }),
    ...freeMetrics(registers),
    ...gasMetrics(registers),
    ...channelMetrics(registers),
    dependencyUp: new Gauge({
      name: 'farebox_dependency_up',
      help: '1 while the node, the database or the facilitator responds as configured',
      labelNames: ['name'],
      registers,
    }),
  }
}

function paymentEvents(registers: Registry[]): Counter<'event'> {
  const counter = new Counter({
    name: 'farebox_payment_events_total',
    help: 'Events of payments and refunds',
    labelNames: ['event'],
    registers,
  })
  for (const event of countedEvents) counter.inc({ event }, 0)
  return counter
}

function countedResponses(registers: Registry[]): Counter<'status'> {
  const counter = new Counter({
    name: 'farebox_requests_total',
    help: 'Responses by status',
    labelNames: ['status'],
    registers,
  })
  for (const status of [200, 402, 500, 503]) counter.inc({ status }, 0)
  return counter
}

function moneyMetrics(registers: Registry[]) {
  return {
    sales: new Counter({
      name: 'farebox_sales_total',
      help: 'Completed paid calls',
      labelNames: ['model'],
      registers,
    }),
    revenue: new Counter({
      name: 'farebox_revenue_usdc_total',
      help: 'What completed calls cost their payers, in USDC',
      labelNames: ['model'],
      registers,
    }),
    paid: new Counter({
      name: 'farebox_paid_usdc_total',
      help: 'What was paid for completed calls before refunds, in USDC',
      labelNames: ['model'],
      registers,
    }),
    upstream: new Counter({
      name: 'farebox_upstream_usd_total',
      help: 'What providers bill for calls, where that is known, in USD',
      labelNames: ['model'],
      registers,
    }),
    overlapLost: new Counter({
      name: 'farebox_overlap_lost_usdc_total',
      help: 'Prices of calls that had started when their payment did not settle, in USDC',
      registers,
    }),
    tokens: new Counter({
      name: 'farebox_tokens_total',
      help: 'Tokens of completed calls, paid or free',
      labelNames: ['model', 'direction'],
      registers,
    }),
    treasury: new Gauge({
      name: 'farebox_treasury_usdc',
      help: 'What the treasury holds, in USDC, read once a minute',
      registers,
    }),
    relayer: new Gauge({
      name: 'farebox_relayer_eth',
      help: 'What the relayer holds for gas, in ETH, read once a minute',
      registers,
    }),
  } satisfies Partial<Metrics>
}

function channelMetrics(
  registers: Registry[],
): Pick<Metrics, 'channelsStopped' | 'channelClaims' | 'channelsSettled'> {
  const channelClaims = new Counter({
    name: 'farebox_channel_claims_total',
    help: 'Claims from payment channels: claimed, refused by the contract, or tried again later',
    labelNames: ['outcome'],
    registers,
  })
  for (const outcome of ['claimed', 'refused', 'waiting']) channelClaims.inc({ outcome }, 0)
  return {
    channelClaims,
    channelsStopped: new Gauge({
      name: 'farebox_channels_stopped',
      help: '1 while nothing is sold from payment channels for this reason',
      labelNames: ['reason'],
      registers,
    }),
    channelsSettled: new Counter({
      name: 'farebox_channels_settled_usdc_total',
      help: 'What the contract of payment channels paid to the treasury, in USDC',
      registers,
    }),
  }
}

function freeMetrics(registers: Registry[]): Pick<Metrics, 'freeCalls' | 'free'> {
  return {
    freeCalls: new Counter({
      name: 'farebox_free_calls_total',
      help: 'Calls that were served without payment',
      labelNames: ['model'],
      registers,
    }),
    free: new Counter({
      name: 'farebox_free_usdc_total',
      help: 'What calls without payment were billed to the free quota, in USDC',
      labelNames: ['model'],
      registers,
    }),
  }
}

const gasPurposes: readonly GasPaid['purpose'][] = ['settlement', 'refund', 'channel', 'filler']

function gasMetrics(registers: Registry[]): Pick<Metrics, 'gas' | 'relayerTransactions'> {
  const gas = new Counter({
    name: 'farebox_gas_eth_total',
    help: 'What the relayer paid for its transactions, in ETH',
    labelNames: ['purpose'],
    registers,
  })
  const relayerTransactions = new Counter({
    name: 'farebox_relayer_transactions_total',
    help: 'Mined transactions of the relayer',
    labelNames: ['purpose', 'outcome'],
    registers,
  })
  for (const purpose of gasPurposes) {
    gas.inc({ purpose }, 0)
    for (const outcome of ['success', 'reverted']) relayerTransactions.inc({ purpose, outcome }, 0)
  }
  return { gas, relayerTransactions }
}
