import { transferCall } from '../calls/transfer-call.ts'
import type { RefundSender, RefundSendOutcome } from '../chain/chain.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import type { QueueOutcome } from '../relayer/transaction-call.ts'
import type { TransactionQueue } from '../relayer/transaction-queue.ts'
import { createRpcClient, type RpcOptions } from '../rpc/rpc-client.ts'
import { refundBatchCall } from './refund-call.ts'
import { createRefundProbe } from './refund-probe.ts'

export type RefundSenderOptions = RpcOptions & {
  readonly network: PaymentNetwork
  readonly queue: TransactionQueue
}

/**
 * Sends refunds through the relayer: one as a call to the token, several through Multicall3, where a
 * refund that fails does not affect the others. The chain's logs show, nonce by nonce, whether a
 * refund arrived: a batch succeeds as a transaction even when a refund in it failed.
 */
export function createRefundSender(options: RefundSenderOptions): RefundSender {
  const { network, queue } = options
  return {
    probe: createRefundProbe(createRpcClient(options), network),
    async send(batch) {
      const [first, ...others] = batch
      const call = others.length === 0 ? transferCall(first) : refundBatchCall(batch, network)
      return outcomeOf(await queue.send({ ...call, purpose: 'refund' }))
    },
    isMined: async (transaction, timeoutMs) =>
      (await queue.receiptOf(transaction, timeoutMs)) !== undefined,
  }
}

function outcomeOf(outcome: QueueOutcome): RefundSendOutcome {
  switch (outcome.status) {
    case 'sent':
    case 'unknown':
    case 'unavailable':
      return outcome
    case 'reverts':
      // It may have been sent by another process meanwhile: the logs decide.
      return { status: 'unknown', reason: 'reverts', transaction: null }
  }
}
