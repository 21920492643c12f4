import type { PaymentRecord } from '@farebox/ledger'
import type { GatePorts } from './gate-ports.ts'
import type { Admission, PendingAdmission } from './payment-gate.ts'

type FaultPorts = Pick<GatePorts, 'notify' | 'admissions'>

/** Until the claim is durable, a fault means that nothing was sent and no money moved. */
export async function beforeClaim(
  ports: FaultPorts,
  work: () => Promise<Admission>,
): Promise<Admission> {
  try {
    return await work()
  } catch (error) {
    ports.notify({ type: 'fault', during: 'admission', error })
    return ports.admissions.unavailable(error instanceof Error ? error.message : 'unknown fault')
  }
}

/** From the claim on, the response to a fault names the payment, and is never a 402. */
export async function afterClaim<Result>(
  ports: FaultPorts,
  payment: PaymentRecord,
  work: () => Promise<Result>,
): Promise<Result | PendingAdmission> {
  try {
    return await work()
  } catch (error) {
    ports.notify({ type: 'fault', during: 'admission', error })
    return ports.admissions.unknown(payment)
  }
}
