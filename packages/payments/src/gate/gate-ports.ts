import { paymentPorts } from '../policy/payment-ports.ts'
import type { SettlePorts } from '../settlement/settle-payment.ts'
import { type CheckPayment, createPaymentCheck } from '../signature/check-payment.ts'
import type { PaymentTerms } from '../wire/payment-requirements.ts'
import { type Admissions, createAdmissions } from './admissions.ts'
import type { PaymentGateOptions } from './payment-gate-options.ts'
import { createPaymentLeases, type PaymentLeases } from './payment-leases.ts'
import { createSearchFromBlock, type SearchFromBlock } from './search-from-block.ts'

/** What the parts of a gate share. */
export type GatePorts = SettlePorts & {
  readonly terms: PaymentTerms
  readonly admissions: Admissions
  readonly leases: PaymentLeases
  readonly checkPayment: CheckPayment
  readonly searchFromBlock: SearchFromBlock
  readonly randomBytes: (length: number) => Uint8Array
}

/** @throws {PaymentPolicyError} when a time that must be above zero is not. */
export function gatePorts(options: PaymentGateOptions): GatePorts {
  const { facilitator, chain, network, payTo, randomBytes, ownAccounts = [] } = options
  const ports = paymentPorts(options)
  const { leaseMs, maxServiceMs, maxTimeoutSeconds } = ports.policy
  const terms = { network, payTo, maxTimeoutSeconds }
  return {
    ...ports,
    facilitator,
    terms,
    randomBytes,
    admissions: createAdmissions(terms),
    leases: createPaymentLeases({ ...ports, leaseMs, maxServiceMs }),
    searchFromBlock: createSearchFromBlock(chain, ports.clock),
    checkPayment:
      options.checkPayment ?? createPaymentCheck({ network, payTo, ownAccounts, chain }),
  }
}
