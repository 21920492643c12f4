import { clientAddress } from '@farebox/http'
import { toUsdcCeil } from '@farebox/money'
import type { PaymentGate } from '@farebox/payments'
import type { LossMonitor } from '../observe/loss-monitor.ts'
import { finish, keptAnswer } from './ending.ts'
import type { RefundFault } from './failure/refund-fault.ts'
import { refundUpstreamFailure } from './failure/refund-upstream-failure.ts'
import type { Completed, PaidCall, PaidEndpoint } from './paid-endpoint.ts'
import { withReceiptOf } from './stream-response.ts'

export type DeliveryDeps = {
  readonly gate: PaymentGate
  readonly lossMonitor: LossMonitor
  readonly refundFault: RefundFault
}

/** Bills what a provider delivered to a payment that is `serving`, and ends the response. */
export type Deliver<Sale, Delivery> = (
  sale: Sale,
  call: PaidCall,
  complete: () => Promise<Completed<Delivery>>,
) => Promise<void>

export function createDelivery<Sale, Delivery>(
  endpoint: PaidEndpoint<Sale, Delivery>,
  { gate, lossMonitor, refundFault }: DeliveryDeps,
): Deliver<Sale, Delivery> {
  return async function deliver(sale, call, complete) {
    const { payment, response, observation } = call
    try {
      const completed = await complete()
      observation.endPhase('relay')
      if (completed.status === 'failed') {
        return await refundUpstreamFailure(completed.error, call, { gate, endpoint })
      }
      const { ending, upstream, ...bill } = await endpoint.bill(sale, completed.delivery)
      const { model, usage } = bill
      observation.note({
        inputTokens: usage.inputTokens,
        outputTokens: usage.outputTokens,
        ...(model !== payment.model && { requestedModel: payment.model }),
      })
      lossMonitor({ ...payment, model }, upstream)
      const providerCost = upstream === undefined ? undefined : toUsdcCeil(upstream)
      const answer = keptAnswer(ending)
      const ended = await gate.complete(payment, {
        ...bill,
        providerCost,
        answer,
        clientAddress: clientAddress(response.req),
      })
      observation.endPhase('bill')
      observation.setPayment(ended.payment)
      finish(response, ending, withReceiptOf(ended))
    } catch (error) {
      await refundFault(error, call, endpoint)
    }
  }
}
