import type { RefundTransfer } from '@farebox/ledger'
import type { RefundPorts } from './refund-ports.ts'

/** Reserves a refund's amount out of what the treasury holds and of what may leave in an hour. */
export type GrantRefund = (
  transfer: RefundTransfer,
) => Promise<'granted' | 'treasury_empty' | 'hourly_cap'>

type Funds = { held: bigint; allowed: bigint | null }

/** Reads the treasury once, at the first refund, and counts down from there. For one round. */
export function createTreasuryGrants(ports: RefundPorts): GrantRefund {
  const { chain, clock, policy, signer, store } = ports
  const { maxRefundsPerHour } = policy
  let funds: Promise<Funds> | null = null

  async function read(asset: RefundTransfer['asset']): Promise<Funds> {
    const held = await chain.balanceOf(asset, signer.treasury)
    if (maxRefundsPerHour === null) return { held, allowed: null }
    const refunded = await store.refundedSince(clock() - 3_600_000)
    return { held, allowed: maxRefundsPerHour - refunded }
  }

  return async function grantRefund({ asset, amount, signedAt }) {
    funds ??= read(asset)
    const left = await funds
    // A refund that was signed before is already part of the hour's sum.
    const isNew = signedAt === null
    if (isNew && left.allowed !== null && left.allowed < amount) return 'hourly_cap'
    if (left.held < amount) return 'treasury_empty'
    left.held -= amount
    if (isNew && left.allowed !== null) left.allowed -= amount
    return 'granted'
  }
}
