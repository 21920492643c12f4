import type { Hex } from '@farebox/ledger'
import { channelRequirements } from '../channel/channel-requirements.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'
import type { DepositCall } from './channel-call.ts'
import type { ChannelPorts } from './channel-ports.ts'

/**
 * A deposit in the form in which payments are settled: known fields only, in wire format, and the
 * signature as the token accepts it.
 */
export function signedDeposit(
  { channelTerms }: Pick<ChannelPorts, 'channelTerms'>,
  call: DepositCall,
  signature: Hex = call.signed.signature,
): SignedPayment {
  const { channelId, config, voucher, ceiling, signed, request } = call
  const { authorization, salt } = signed
  const { value, validAfter, validBefore } = authorization
  const times = { validAfter: validAfter.toString(), validBefore: validBefore.toString() }
  const requirements = channelRequirements(channelTerms, ceiling)
  const payload = {
    type: 'deposit',
    channelConfig: config,
    voucher: {
      channelId,
      maxClaimableAmount: voucher.max.toString(),
      signature: voucher.signature,
    },
    deposit: {
      amount: value.toString(),
      authorization: { erc3009Authorization: { ...times, salt, signature } },
    },
  }
  return {
    protocol: 2,
    network: channelTerms.network.caip2,
    authorization,
    signature,
    payload: { x402Version: 2, resource: request.resource, accepted: requirements, payload },
    requirements,
    clientPaymentId: null,
  }
}
