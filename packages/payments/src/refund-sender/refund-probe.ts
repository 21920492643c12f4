import type { Hex } from '@farebox/ledger'
import { encodeFunctionData, type PublicClient, parseAbi } from 'viem'
import type { RefundObstacle, RefundSender, SignedRefund } from '../chain/chain.ts'
import { ask, callContract } from '../chain/rpc-client.ts'
import { refundCall } from './refund-call.ts'

const controlsAbi = parseAbi([
  'function paused() view returns (bool)',
  'function isBlacklisted(address) view returns (bool)',
  'function balanceOf(address) view returns (uint256)',
])

/**
 * Tries a refund without sending it, and reads why it would fail. What stands in the way of all
 * refunds is told before what stands in the way of this one.
 */
export function createRefundProbe(client: PublicClient, relayer: Hex): RefundSender['probe'] {
  return async function probe(refund) {
    const call = refundCall(refund)
    const outcome = await callContract(client, { ...call, from: relayer })
    return outcome.status === 'returned' ? null : await obstacle(client, refund)
  }
}

async function obstacle(client: PublicClient, refund: SignedRefund): Promise<RefundObstacle> {
  const { asset, from, to, value } = refund
  const read = (data: Hex): Promise<bigint | undefined> => readWord(client, asset, data)
  const [paused, treasuryListed, balance, payeeListed, treasuryCode] = await Promise.all([
    read(encodeFunctionData({ abi: controlsAbi, functionName: 'paused' })),
    read(encodeFunctionData({ abi: controlsAbi, functionName: 'isBlacklisted', args: [from] })),
    read(encodeFunctionData({ abi: controlsAbi, functionName: 'balanceOf', args: [from] })),
    read(encodeFunctionData({ abi: controlsAbi, functionName: 'isBlacklisted', args: [to] })),
    readCode(client, from),
  ])
  if (paused === 1n) return { scope: 'system', reason: 'token_paused' }
  if (treasuryListed === 1n) return { scope: 'system', reason: 'treasury_blacklisted' }
  // The token asks the code of a delegated treasury, and no longer its key (EIP-7702).
  if (treasuryCode !== '0x') return { scope: 'system', reason: 'treasury_delegated' }
  if (payeeListed === 1n) return { scope: 'payee', reason: 'blacklisted_payee' }
  if (balance !== undefined && balance < value) return { scope: 'system', reason: 'treasury_empty' }
  return { scope: 'payee', reason: 'reverts' }
}

async function readCode(client: PublicClient, address: Hex): Promise<Hex> {
  const code = await ask(`whether ${address} has code`, () => client.getCode({ address }))
  return code ?? '0x'
}

/** A word that the token answers with; undefined where it has no such function. */
async function readWord(client: PublicClient, to: Hex, data: Hex): Promise<bigint | undefined> {
  const outcome = await callContract(client, { to, data })
  return outcome.status === 'returned' && outcome.data.length === 66
    ? BigInt(outcome.data)
    : undefined
}
