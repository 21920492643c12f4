import { type AheadRisk, createAheadRisk } from '../policy/ahead-risk.ts'
import { createPayerBudget, type PayerBudget } from '../policy/payer-budget.ts'
import { createPayerLimiter, noPayerLimits, type PayerLimiter } from '../policy/payer-limits.ts'
import { paymentPorts } from '../policy/payment-ports.ts'
import { createSearchFromBlock, type SearchFromBlock } from '../settlement/search-from-block.ts'
import type { SettlePorts } from '../settlement/settle-payment.ts'
import { type CheckPayment, createPaymentCheck } from '../signature/check-payment.ts'
import type { PaymentTerms } from '../wire/payment-requirements.ts'
import { type Admissions, createAdmissions } from './admissions.ts'
import { type CheckPayer, createPayerCheck } from './check-payer.ts'
import type { PaymentGateOptions } from './payment-gate-options.ts'
import { createPaymentLeases, type PaymentLeases } from './payment-leases.ts'

/** What the parts of a gate share. */
export type GatePorts = SettlePorts & {
  readonly terms: PaymentTerms
  readonly admissions: Admissions
  readonly leases: PaymentLeases
  readonly checkPayment: CheckPayment
  readonly checkPayer: CheckPayer
  readonly payerBudget: PayerBudget
  readonly aheadRisk: AheadRisk
  readonly payerLimiter: PayerLimiter
  readonly searchFromBlock: SearchFromBlock
  readonly randomBytes: (length: number) => Uint8Array
}

/** How far a client's clock may be ahead when it signs for as long as a 402 may be paid. */
const clockSkewSeconds = 60

/** @throws {PaymentPolicyError} when a time that must be above zero is not. */
export function gatePorts(options: PaymentGateOptions): GatePorts {
  const { facilitator, chain, network, payTo, randomBytes, ownAccounts = [] } = options
  const ports = paymentPorts(options)
  const { leaseMs, maxServiceMs, maxTimeoutSeconds } = ports.policy
  const terms = { network, payTo, maxTimeoutSeconds }
  const payerBudget = createPayerBudget({
    ...ports,
    onFault: (error) => {
      ports.notify({ type: 'fault', during: 'admission', error })
    },
  })
  const longestValiditySeconds = maxTimeoutSeconds + clockSkewSeconds
  return {
    ...ports,
    facilitator,
    terms,
    randomBytes,
    admissions: createAdmissions(terms),
    leases: createPaymentLeases({ ...ports, leaseMs, maxServiceMs }),
    searchFromBlock: createSearchFromBlock(chain, ports.clock),
    checkPayment:
      options.checkPayment ??
      createPaymentCheck({ network, payTo, ownAccounts, chain, longestValiditySeconds }),
    payerBudget,
    aheadRisk: createAheadRisk(ports),
    payerLimiter: createPayerLimiter({
      ...ports,
      limitsOf: options.payerLimits ?? (() => noPayerLimits),
    }),
    checkPayer: createPayerCheck({ chain, network, payerBudget }),
  }
}
