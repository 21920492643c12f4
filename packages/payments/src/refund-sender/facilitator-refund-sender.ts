import type { RefundSender, RefundSendOutcome, SignedRefund } from '../chain/chain.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import { createRpcClient, type RpcOptions } from '../rpc/rpc-client.ts'
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
 * Sends refunds through a facilitator's settlement, for setups without their own relayer: to the
 * facilitator a refund is a payment from the treasury to the payer. It has no batches: refunds are
 * sent one after the other, and the chain's logs show which arrived.
 */
export function createFacilitatorRefundSender(
  options: FacilitatorRefundSenderOptions,
): RefundSender {
  const { network, facilitator, settleTimeoutMs = 30_000 } = options

  async function settle(refund: SignedRefund): Promise<RefundSendOutcome> {
    const signal = AbortSignal.timeout(settleTimeoutMs)
    return outcomeOf(await facilitator.settle(refundPayment(refund, network), signal))
  }

  return {
    probe: createRefundProbe(createRpcClient(options), network),
    async send(batch) {
      const [first, ...others] = batch
      const outcome = await settle(first)
      if (others.length === 0) return outcome
      for (const refund of others) await settle(refund)
      return { status: 'unknown', reason: 'sent_one_by_one', transaction: null }
    },
    // Settling a payment includes waiting for its block.
    isMined: () => Promise.resolve(true),
  }
}

/** Anyone may send a refund, so a rejection may mean that it was sent already: it is unknown. */
function outcomeOf(outcome: SettleOutcome): RefundSendOutcome {
  switch (outcome.status) {
    case 'settled':
      return { status: 'sent', transaction: outcome.transaction }
    case 'rejected':
      return { status: 'unknown', reason: outcome.reason, transaction: null }
    case 'unknown':
      return outcome
  }
}

/** How long the requirement allows the refund to take; the signature has its own validity. */
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
