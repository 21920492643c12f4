import type { ChannelRecord } from '@farebox/ledger'
import { formatDecimal } from '@farebox/money'
import type { Refusal, SolventPayer } from '../gate/check-payer.ts'
import type { DepositCall } from './channel-call.ts'
import type { ChannelPorts } from './channel-ports.ts'
import { frozenChannel } from './refuse-channel.ts'
import { signedDeposit } from './signed-deposit.ts'

export type CheckedDeposit =
  | SolventPayer
  | { readonly status: 'refused'; readonly refusal: Refusal }

/**
 * Checks a deposit before it costs anything: its amount, its signature and times, and the balance and
 * code of its payer, as for an exact payment.
 *
 * @throws {ChainError} when the node does not answer.
 */
export async function checkDeposit(
  ports: ChannelPorts,
  call: DepositCall,
  channel: ChannelRecord | undefined,
): Promise<CheckedDeposit> {
  const problem = amountProblem(ports, call, channel)
  if (problem !== null) return { status: 'refused', refusal: problem }
  const payment = signedDeposit(ports, call)
  const amount = payment.authorization.value
  const now = Math.floor(ports.clock() / 1000)
  const checked = await ports.checkDeposit({ payment, amount, now })
  if (checked.status === 'invalid') return refused({ reason: checked.reason })
  const { signature } = checked.payment
  const payer = await ports.checkDepositor(signedDeposit(ports, call, signature))
  if (payer.status === 'refused') return refused(payer)
  if (!ports.depositBudget.allows(call.config.payer)) return refused(tooManyDeposits)
  const unknown = channel === undefined ? await unknownFunds(ports, call) : null
  return unknown === null ? payer : refused(unknown)
}

/** Why a deposit must not be the first of its channel in the ledger; null if it may be. */
async function unknownFunds(
  { channelChain, store }: ChannelPorts,
  { channelId }: DepositCall,
): Promise<Refusal | null> {
  const [state] = (await channelChain?.channels([channelId])) ?? []
  if (state === undefined) return null
  // Another request may have made the first deposit meanwhile, which was in the ledger before.
  if ((await store.loadChannel(channelId)) !== undefined) return null
  // Its vouchers were used before: the ledger has lost them.
  if (state.totalClaimed > 0n) return frozenChannel
  return state.balance > 0n ? unknownDeposit : null
}

/** A deposit that was made without us: a moment ago, or before there was a ledger, which never counts it. */
const unknownDeposit: Refusal = {
  reason: 'channel_not_known',
  message:
    'The channel holds a deposit that has not been read. If this lasts, withdraw it or open another channel. Pay for this call with the exact scheme.',
}

/** Too many deposits of the payer, or of all payers. */
export const tooManyDeposits: Refusal = {
  reason: 'too_many_deposits',
  message: 'Too many deposits were made. Pay for this call with the exact scheme.',
}

/** The codes of x402 name the scheme. */
function refused({ reason, message }: Refusal): CheckedDeposit {
  const code = reason.replace('_exact_', '_batch_settlement_')
  return {
    status: 'refused',
    refusal: { reason: code, ...(message !== undefined && { message }) },
  }
}

function amountProblem(
  { channelTerms }: ChannelPorts,
  { signed, ceiling }: DepositCall,
  channel: ChannelRecord | undefined,
): Refusal | null {
  const { value } = signed.authorization
  const { minDeposit } = channelTerms.policy
  if (value < minDeposit) {
    return {
      reason: 'invalid_batch_settlement_evm_deposit_below_min_deposit',
      message: `A deposit of ${formatDecimal(value, 6)} USDC is too small: deposit at least ${formatDecimal(minDeposit, 6)}.`,
    }
  }
  const { charged = 0n, reserved = 0n, deposited = 0n, returned = 0n } = channel ?? {}
  const needed = charged + reserved + ceiling - (deposited - returned)
  return needed <= value
    ? null
    : {
        reason: 'invalid_batch_settlement_evm_cumulative_exceeds_balance',
        message: `A deposit of ${formatDecimal(value, 6)} USDC does not cover this call: deposit at least ${formatDecimal(needed, 6)}.`,
      }
}
