import type { ChannelRecord } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { channelDigests } from '../channel/channel-digests.ts'
import { createVoucherCheck } from '../channel/check-voucher.ts'
import { createSignerRecovery } from '../signature/recover-signer.ts'
import type { AuditFinding } from './audit-report.ts'
import { magnitude } from './magnitude.ts'

/**
 * Creates the check whether the contract would pay what a channel owes: its id is the digest of its
 * terms, and its payer signed its latest voucher.
 */
export function createVoucherAudit(): (channel: ChannelRecord) => Promise<readonly AuditFinding[]> {
  const recoverSigner = createSignerRecovery()
  return async ({ id, chainId, config, signed: max, signature, charged, claimed }) => {
    const digests = channelDigests(chainId)
    const isPaid =
      digests.channelId(config) === id &&
      (signature === null ||
        (await createVoucherCheck(
          digests,
          recoverSigner,
        )({ channelId: id, config, voucher: { max, signature } })))
    const amount = atomicUsdc(magnitude(charged - claimed))
    const kind = 'channel_differs'
    return isPaid ? [] : [{ kind, amount, paymentId: null, nonce: null, transaction: null }]
  }
}
