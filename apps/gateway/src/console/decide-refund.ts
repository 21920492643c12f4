import type { Hex, LedgerStore, RefundTransfer } from '@farebox/ledger'
import { type RefundResolution, retryRefund, writeOffRefund } from '@farebox/payments'

const decisions = { 'write-off': writeOffRefund, retry: retryRefund } as const

export type RefundVerb = keyof typeof decisions

/** Carries out an operator's decision about one refund, and describes the result in a sentence. */
export async function decideRefund(
  store: Pick<LedgerStore, 'loadRefund' | 'applyToRefund'>,
  verb: RefundVerb,
  nonce: Hex,
): Promise<{ readonly isAccepted: boolean; readonly message: string }> {
  const resolution = await decisions[verb]({ store, nonce, clock: Date.now })
  return {
    isAccepted: resolution.status === 'accepted',
    message: verdict(verb, nonce, resolution),
  }
}

function verdict(verb: RefundVerb, nonce: string, resolution: RefundResolution): string {
  switch (resolution.status) {
    case 'accepted':
      return verb === 'retry'
        ? `Refund ${nonce} is owed again and will be sent in the next round.`
        : `Refund ${nonce} will be written off. ${whenWrittenOff(resolution.transfer)}`
    case 'not_found':
      return `Refund ${nonce} was not found. Run \`refund list\` for the nonces.`
    case 'not_blocked':
      return `Refund ${nonce} is ${resolution.transfer.status}, not blocked or written off: it needs no decision.`
    case 'deliverable':
      return `Refund ${nonce} is blocked by ${resolution.transfer.reason ?? 'this gateway'}, not by its payee. It stays owed: fix the cause instead.`
    case 'busy':
      return `Refund ${nonce} is being processed. Run the command again.`
  }
}

function whenWrittenOff({ validBefore }: RefundTransfer): string {
  const nowSeconds = Date.now() / 1000
  return validBefore === null || validBefore < nowSeconds
    ? 'This happens in the next round.'
    : `This happens once its last signature has expired, some minutes after ${new Date(validBefore * 1000).toISOString()}. If it is delivered before then, it is booked as paid.`
}
