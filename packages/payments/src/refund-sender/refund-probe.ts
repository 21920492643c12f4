import type { Hex } from '@farebox/ledger'
import type { PublicClient } from 'viem'
import { decodeMulticall, encodeMulticall } from '../calls/multicall.ts'
import { transferCall } from '../calls/transfer-call.ts'
import type { RefundObstacle, RefundSender, SignedRefund } from '../chain/chain.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import { balanceCall } from '../rpc/balance-call.ts'
import { countOf } from '../rpc/count-of.ts'
import { readCode } from '../rpc/read-code.ts'
import { callContract } from '../rpc/rpc-client.ts'
import { readTokenControls, readWord } from '../rpc/token-controls.ts'
import { createSharedRead } from '../scheduling/shared-read.ts'

/**
 * Simulates refunds without sending them, those that are probed together in one call of the node, and
 * reads why one would fail. An obstacle to all refunds is reported before one to this refund alone.
 */
export function createRefundProbe(
  client: PublicClient,
  { multicall3 }: PaymentNetwork,
): RefundSender['probe'] {
  const passes = createSharedRead({
    maxQuestions: 100,
    maxPauseMs: 0,
    read: (refunds: readonly SignedRefund[]) => passTogether(client, multicall3, refunds),
  })
  return async function probe(refund) {
    // One that fails after others may have failed because they took what it needs.
    if (await passes(refund)) return null
    const subject = `the simulation of refund ${refund.nonce}`
    const outcome = await callContract(client, {
      ...transferCall(refund),
      subject,
      from: refund.from,
    })
    return outcome.status === 'returned' ? null : await findObstacle(client, refund)
  }
}

async function passTogether(
  client: PublicClient,
  multicall3: Hex,
  refunds: readonly SignedRefund[],
): Promise<readonly boolean[]> {
  const subject = `the simulation of ${countOf(refunds.length, 'refund')}`
  const data = encodeMulticall(refunds.map(transferCall))
  const outcome = await callContract(client, { to: multicall3, data, subject })
  return outcome.status === 'reverted'
    ? refunds.map(() => false)
    : decodeMulticall(outcome.data).map(({ success }) => success)
}

async function findObstacle(client: PublicClient, refund: SignedRefund): Promise<RefundObstacle> {
  const { asset, from, to, value } = refund
  const [treasury, payee, balance, treasuryCode] = await Promise.all([
    readTokenControls(client, asset, from),
    readTokenControls(client, asset, to),
    readWord(client, asset, balanceCall(from)),
    readCode(client, from),
  ])
  if (treasury.isPaused) return { scope: 'system', reason: 'token_paused' }
  if (treasury.isBlocked) return { scope: 'system', reason: 'treasury_blacklisted' }
  // For a delegated treasury (EIP-7702) the token asks its code and no longer accepts its key.
  if (treasuryCode !== null) return { scope: 'system', reason: 'treasury_delegated' }
  if (payee.isBlocked) return { scope: 'payee', reason: 'blacklisted_payee' }
  if (balance !== undefined && balance < value) return { scope: 'system', reason: 'treasury_empty' }
  return { scope: 'payee', reason: 'reverts' }
}
