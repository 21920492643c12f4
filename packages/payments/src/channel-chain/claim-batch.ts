import type { ChannelRecord, Hex } from '@farebox/ledger'
import { least, subtract, type Usdc } from '@farebox/money'
import { freezeChannel } from './apply-log.ts'
import type { ChannelRoundPorts } from './channel-round-ports.ts'
import { type ClaimRow, claimCall } from './contract-calls.ts'
import { sendCall } from './send-call.ts'

/** The outcome of the rows of one or more batches. */
export type ClaimResult = {
  readonly claimed: number
  /** Rows that the contract refuses. */
  readonly refused: number
  /** Rows that could not be sent, or were not seen in a block: tried again. */
  readonly waiting: number
}

export const nothingClaimed: ClaimResult = { claimed: 0, refused: 0, waiting: 0 }

export function addResults(a: ClaimResult, b: ClaimResult): ClaimResult {
  return {
    claimed: a.claimed + b.claimed,
    refused: a.refused + b.refused,
    waiting: a.waiting + b.waiting,
  }
}

/**
 * The row that claims all charges of a channel, as far as its escrow covers them; undefined when there
 * is nothing to claim or another key decides on it. Its voucher is public from now on.
 */
export async function claimRowOf(
  { store, authorizer }: Pick<ChannelRoundPorts, 'store' | 'authorizer'>,
  { id, config }: ChannelRecord,
): Promise<ClaimRow | undefined> {
  if (config.receiverAuthorizer !== authorizer.address) return undefined
  const published = await store.publishVoucher(id)
  if (published === undefined) return undefined
  const { channel, voucher } = published
  const total = claimableTotal(channel)
  return total > channel.claimed ? { channelId: id, config, voucher, total } : undefined
}

function claimableTotal({ charged, deposited, returned }: ChannelRecord): Usdc {
  return least(charged, subtract(deposited, returned))
}

/** The signature over a batch of rows. */
export function signRows(
  { authorizer }: Pick<ChannelRoundPorts, 'authorizer'>,
  rows: readonly ClaimRow[],
): Promise<Hex> {
  return authorizer.signClaims(
    rows.map(({ channelId, voucher, total }) => ({
      channelId,
      maxClaimableAmount: voucher.max,
      totalClaimed: total,
    })),
  )
}

/**
 * Claims in one transaction. The node's estimate simulates it; if one row would revert them all, the
 * batch is halved until that row is alone.
 */
export async function claimBatch(
  ports: ChannelRoundPorts,
  rows: readonly ClaimRow[],
): Promise<ClaimResult> {
  const [row, ...others] = rows
  if (row === undefined) return nothingClaimed
  const sent = await sendCall(ports, claimCall(rows, await signRows(ports, rows)))
  switch (sent.status) {
    case 'mined':
      return { ...nothingClaimed, claimed: rows.length }
    case 'pending':
    case 'unavailable':
    case 'replaced':
      return { ...nothingClaimed, waiting: rows.length }
    case 'reverts':
      break
  }
  if (others.length === 0) return await judgeRow(ports, row)
  const half = Math.ceil(rows.length / 2)
  const first = await claimBatch(ports, rows.slice(0, half))
  return addResults(first, await claimBatch(ports, rows.slice(half)))
}

/**
 * A row that reverts alone: the channel is frozen, unless its escrow is smaller than the ledger has
 * read so far, the row was claimed meanwhile, or only the relayer cannot send it.
 */
async function judgeRow(ports: ChannelRoundPorts, row: ClaimRow): Promise<ClaimResult> {
  const { channelId, total } = row
  const call = claimCall([row], await signRows(ports, [row]))
  const { before, isAccepted } = await ports.channelChain.tryCall(channelId, call)
  const isShort = before.balance < total
  const isClaimed = before.totalClaimed >= total
  if (isAccepted || isShort || isClaimed) return { ...nothingClaimed, waiting: 1 }
  await freezeChannel(ports, { id: channelId }, 'claim_reverts')
  return { ...nothingClaimed, refused: 1 }
}
