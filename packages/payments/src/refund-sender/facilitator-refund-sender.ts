import type { RefundSender, RefundSendOutcome, SignedRefund } from '../chain/chain.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import { createRpcClient, type RpcOptions } from '../chain/rpc-client.ts'
import type { Facilitator, SettleOutcome } from '../settlement/facilitator.ts'
import { paymentPayload } from '../wire/payment-payload.ts'
import { paymentRequirements } from '../wire/payment-requirements.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'
import { createRefundProbe } from './refund-probe.ts'

export type FacilitatorRefundSenderOptions = RpcOptions & {
  readonly network: PaymentNetwork
  readonly facilitator: Facilitator
  /** How long the facilitator may take for one refund. 30 seconds by default. */
  readonly settleTimeoutMs?: number
}

/**
 * Sends refunds through a facilitator's settlement, where there is no relayer of our own: to it a
 * refund is a payment by the treasury to the payer. There are no batches: several are sent one after
 * the other, and which arrived is for the chain's logs to say.
 */
export function createFacilitatorRefundSender(
  options: FacilitatorRefundSenderOptions,
): RefundSender {
  const { network, facilitator, settleTimeoutMs = 30_000 } = options
  const client = createRpcClient(options)

  async function settle(refund: SignedRefund): Promise<RefundSendOutcome> {
    const signal = AbortSignal.timeout(settleTimeoutMs)
    return outcomeOf(await facilitator.settle(refundPayment(refund, network), signal))
  }

  return {
    probe: async (refund) => await createRefundProbe(client, refund.from)(refund),
    async send(batch) {
      const [first, ...others] = batch
      const outcome = await settle(first)
      if (others.length === 0) return outcome
      for (const refund of others) await settle(refund)
      return { status: 'unknown', reason: 'sent_one_by_one', transaction: null }
    },
  }
}

/** Anyone may send a refund, so that a refusal may mean that it was sent: never more than unknown. */
function outcomeOf(outcome: SettleOutcome): RefundSendOutcome {
  switch (outcome.status) {
    case 'settled':
      return { status: 'sent', transaction: outcome.transaction }
    case 'refused':
      return { status: 'unknown', reason: outcome.reason, transaction: null }
    case 'unknown':
      return outcome
  }
}

/** How long the requirement says that the refund may take; the signature holds its real window. */
const maxTimeoutSeconds = 300

function refundPayment(refund: SignedRefund, network: PaymentNetwork): SignedPayment {
  const { signature, ...authorization } = refund
  const terms = { network, payTo: refund.to, maxTimeoutSeconds }
  const requirements = paymentRequirements(terms, refund.value)
  return {
    protocol: 2,
    network: network.caip2,
    authorization: { ...authorization, chainId: network.chainId },
    signature,
    payload: paymentPayload({ requirements, authorization, signature }),
    requirements,
    clientPaymentId: null,
  }
}
