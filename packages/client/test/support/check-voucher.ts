import { computeChannelId } from '@x402/evm/batch-settlement/client'
import { recoverTypedDataAddress } from 'viem'
import type { ChannelPayload } from '../../../../scripts/testing/channel-gateway.ts'

/** Computes the id as the stock package does, and recovers the signer as viem does. */
export async function checkVoucher({ channelConfig, voucher }: ChannelPayload): Promise<void> {
  const { channelId, maxClaimableAmount, signature } = voucher
  const signer = await recoverTypedDataAddress({
    domain: {
      name: 'x402 Batch Settlement',
      version: '1',
      chainId: 84532,
      verifyingContract: '0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003',
    },
    types: {
      Voucher: [
        { name: 'channelId', type: 'bytes32' },
        { name: 'maxClaimableAmount', type: 'uint128' },
      ],
    },
    primaryType: 'Voucher',
    message: { channelId, maxClaimableAmount: BigInt(maxClaimableAmount) },
    signature,
  })
  const isId = computeChannelId(channelConfig, 'eip155:84532') === channelId
  if (!isId || signer.toLowerCase() !== channelConfig.payer) throw new Error('not genuine')
}
