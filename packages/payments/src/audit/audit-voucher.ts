import type { ChannelRecord } from '@farebox/ledger'
import { channelDigests } from '../channel/channel-digests.ts'
import { createVoucherCheck } from '../channel/check-voucher.ts'
import { createSignerRecovery } from '../signature/recover-signer.ts'
import { type AuditFinding, rowFinding } from './audit-report.ts'
import { magnitude } from './position-distance.ts'

/**
 * Creates a check of whether the contract would pay what a channel owes: its id is the digest of its
 * terms, and its payer signed its latest voucher.
 */
export function createVoucherAudit(): (channel: ChannelRecord) => Promise<readonly AuditFinding[]> {
  const recoverSigner = createSignerRecovery()
  return async function auditVoucher(channel) {
    const { id, chainId, config, signed: max, signature, charged, claimed } = channel
    const digests = channelDigests(chainId)
    const checkVoucher = createVoucherCheck(digests, recoverSigner)
    const isPaid =
      digests.channelId(config) === id &&
      (signature === null ||
        (await checkVoucher({ channelId: id, config, voucher: { max, signature } })))
    const detail = `channel ${id}: its terms or its voucher are not what a claim needs`
    return isPaid ? [] : [rowFinding(magnitude(charged - claimed), detail)]
  }
}
