import type { ChannelRecord, Hex, PaymentRecord } from '@farebox/ledger'
import type { Block } from '../chain/chain.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import type { ChannelTerms } from '../channel/channel-requirements.ts'
import { faultReporter } from '../events/fault-reporter.ts'
import { createOverlapRisk, type OverlapRisk } from '../policy/overlap-risk.ts'
import { createPayerBudget, type PayerBudget } from '../policy/payer-budget.ts'
import {
  createPayerLimiter,
  noPayerLimits,
  type PayerLimiter,
  type PayerLimits,
} from '../policy/payer-limits.ts'
import {
  type PaymentPorts,
  type PaymentPortsOptions,
  paymentPorts,
} from '../policy/payment-ports.ts'
import { createRevertRisk, type RevertRisk } from '../policy/revert-risk.ts'
import { createUnservedBudget, type UnservedBudget } from '../policy/unserved-budget.ts'
import { createRecentReading } from '../scheduling/recent-reading.ts'
import { createSharedBytes } from '../scheduling/shared-bytes.ts'
import type { Facilitator } from '../settlement/facilitator.ts'
import type { SettlePorts } from '../settlement/settle-payment.ts'
import {
  type CheckPayment,
  clockSkewSeconds,
  createPaymentCheck,
} from '../signature/check-payment.ts'
import type { PaymentEnvelope } from '../wire/payment-envelope.ts'
import type { PaymentTerms } from '../wire/payment-requirements.ts'
import { type Admissions, createAdmissions } from './admissions.ts'
import { type CheckPayer, createPayerCheck } from './check-payer.ts'
import type { Admission, AdmissionRequest, ResponseHeaders } from './payment-gate.ts'
import { createPaymentLeases, type PaymentLeases } from './payment-leases.ts'

export type PaymentGateOptions = PaymentPortsOptions & {
  readonly facilitator: Facilitator
  readonly network: PaymentNetwork
  /** The treasury: receives payments and signs refunds. */
  readonly payTo: Hex
  /** Our other accounts, such as the relayer: they cannot pay us. */
  readonly ownAccounts?: readonly Hex[]
  /** The limits of a payer, read for each payment; unlimited by default. */
  readonly payerLimits?: ((payer: Hex) => PayerLimits) | undefined
  readonly randomBytes: (length: number) => Uint8Array
  /** The local check of a payment; created from these options by default. */
  readonly checkPayment?: CheckPayment
  /** Sells from payment channels too; without it, only by `exact`. */
  readonly channels?: ChannelSelling | undefined
}

/** How a gate sells from payment channels. */
export type ChannelSelling = {
  termsFor(terms: PaymentTerms): ChannelTerms
  open(ports: GatePorts, terms: ChannelTerms): ChannelGate
}

/** Admits what is paid from a channel. */
export type ChannelGate = {
  admit(request: AdmissionRequest, envelope: PaymentEnvelope): Promise<Admission>
  /** The receipt of an ended call; the channel is read unless it is passed. Never rejects. */
  endHeaders(call: PaymentRecord, channel?: ChannelRecord): Promise<ResponseHeaders>
}

/** What the parts of a gate share. */
export type GatePorts = SettlePorts & {
  readonly terms: PaymentTerms
  /** Undefined if channels are off. */
  readonly channelTerms: ChannelTerms | undefined
  readonly ownAccounts: readonly Hex[]
  readonly admissions: Admissions
  readonly leases: PaymentLeases
  readonly checkPayment: CheckPayment
  readonly checkPayer: CheckPayer
  readonly payerBudget: PayerBudget
  readonly overlapRisk: OverlapRisk
  readonly revertRisk: RevertRisk
  readonly unservedBudget: UnservedBudget
  readonly payerLimiter: PayerLimiter
  /** Read at most once a second: an older one only makes the search for a settlement start earlier. */
  readonly recentHead: () => Promise<Block>
  readonly randomBytes: (length: number) => Uint8Array
}

/** @throws {PaymentPolicyError} when a time that must be above zero is not. */
export function gatePorts(options: PaymentGateOptions): GatePorts {
  const { facilitator, chain, network, payTo, randomBytes, ownAccounts = [] } = options
  const ports = withSharedAnswers(paymentPorts(options))
  const { leaseMs, maxServiceMs, maxTimeoutSeconds } = ports.policy
  const terms = { network, payTo, maxTimeoutSeconds }
  const payerBudget = createPayerBudget({ ...ports, onFault: faultReporter(ports, 'admission') })
  const channelTerms = options.channels?.termsFor(terms)
  const maxValiditySeconds = maxTimeoutSeconds + clockSkewSeconds
  return {
    ...ports,
    facilitator,
    terms,
    channelTerms,
    ownAccounts,
    randomBytes,
    admissions: createAdmissions(terms, channelTerms),
    leases: createPaymentLeases({ ...ports, leaseMs, maxServiceMs }),
    recentHead: createRecentReading(() => chain.head(), { ...ports, freshMs: 1_000 }),
    checkPayment:
      options.checkPayment ??
      createPaymentCheck({ network, payTo, ownAccounts, chain, maxValiditySeconds }),
    payerBudget,
    overlapRisk: createOverlapRisk(ports),
    revertRisk: createRevertRisk(ports),
    unservedBudget: createUnservedBudget(ports),
    payerLimiter: createPayerLimiter({
      ...ports,
      limitsOf: options.payerLimits ?? (() => noPayerLimits),
    }),
    checkPayer: createPayerCheck({ chain, network, payerBudget }),
  }
}

/** One payment may ask for its response many times, and read none of them. */
function withSharedAnswers(ports: PaymentPorts): PaymentPorts {
  const shared = createSharedBytes()
  return {
    ...ports,
    store: {
      ...ports.store,
      loadAnswer: async (id, now) => {
        const answer = await ports.store.loadAnswer(id, now)
        return answer && { ...answer, body: shared(id, answer.body) }
      },
    },
  }
}
