import { type ChannelRecord, type Hex, LedgerError, type PaymentRecord } from '@farebox/ledger'
import { readChannelPayload } from '../channel/channel-payload.ts'
import { channelReceiptHeaders } from '../channel/channel-receipt.ts'
import { reportHold, reportNothing } from '../channel/hold-report.ts'
import type { ChannelChain } from '../channel-chain/channel-chain.ts'
import type { ChannelObstacle } from '../events/payment-events.ts'
import type { ChannelGate, ChannelSelling } from '../gate/gate-ports.ts'
import type { Admission, AdmissionRequest, ResponseHeaders } from '../gate/payment-gate.ts'
import { type ChannelPolicy, channelPolicy } from '../policy/channel-policy.ts'
import type { PaymentEnvelope } from '../wire/payment-envelope.ts'
import { admitCall } from './admit-call.ts'
import { admitDeposit } from './admit-deposit.ts'
import { ceilingOf } from './channel-call.ts'
import { type ChannelPorts, channelPorts } from './channel-ports.ts'
import { checkChannel } from './check-channel.ts'
import { unreadable } from './refuse-channel.ts'

export type ChannelSellingOptions = {
  /** The address whose signature claims and refunds; the treasury by default. */
  readonly receiverAuthorizer?: Hex
  /** What differs from `defaultChannelPolicy`. */
  readonly policy?: Partial<ChannelPolicy> | undefined
  /** Why nothing may be sold from channels now: they are not watched, or claims fail. */
  readonly obstacle?: () => Promise<ChannelObstacle | undefined>
  /**
   * The contract. It is asked before the first deposit into a channel that the ledger does not know:
   * one that holds something then, or from which something was claimed, is refused.
   */
  readonly channelChain?: Pick<ChannelChain, 'channels'>
}

/**
 * Sells from payment channels of the `batch-settlement` scheme of x402, in addition to `exact`: a payer
 * deposits once and signs a voucher for each call.
 *
 * @throws {PaymentPolicyError} when the delay of withdrawals is not one that the contract takes.
 */
export function sellByChannel(options: ChannelSellingOptions = {}): ChannelSelling {
  const policy = channelPolicy(options.policy)
  const { obstacle = async () => undefined, channelChain = null } = options
  return {
    termsFor: (terms) => ({
      ...terms,
      policy,
      receiverAuthorizer: options.receiverAuthorizer ?? terms.payTo,
    }),
    open(ports, terms): ChannelGate {
      const channelGate = channelPorts(ports, terms, { obstacle, channelChain })
      return {
        admit: (request, envelope) => admit(channelGate, request, envelope),
        endHeaders: (call, channel) => endHeaders(channelGate, call, channel),
      }
    },
  }
}

async function admit(
  ports: ChannelPorts,
  request: AdmissionRequest,
  { payload: sent, network, accepted }: PaymentEnvelope,
): Promise<Admission> {
  const { admissions, store, terms } = ports
  if (network !== terms.network.caip2) {
    return admissions.required(request, 'invalid_batch_settlement_evm_network_mismatch')
  }
  const read = readChannelPayload(sent, terms.network)
  if (read.status === 'malformed') return admissions.unreadable(request, read.message)
  const { payload } = read
  const rejection = await checkChannel(ports, payload)
  if (rejection !== null) return admissions.rejected(request, rejection)
  const offer = request.offers.find((one) => ceilingOf(one).toString() === accepted?.amount)
  if (offer === undefined) return admissions.required(request, 'invalid_payment_requirements')
  const call = { ...payload, request, offer, ceiling: ceilingOf(offer), deposit: null }
  switch (payload.type) {
    case 'voucher':
      return await admitCall(ports, call).catch(
        refuseUnreadable(ports, request, () => store.findCall(call.channelId, call.voucher.max)),
      )
    case 'deposit': {
      const { deposit: signed } = payload
      return await admitDeposit(ports, { ...call, signed }).catch(
        refuseUnreadable(ports, request, () => store.findByAuthorization(signed.authorization)),
      )
    }
    case 'refund':
      return admissions.rejected(request, 'invalid_batch_settlement_evm_payload_type')
  }
}

/**
 * Refuses a payment from a channel that cannot be read, so that the client pays by `exact`. One that
 * was claimed before may have been used: that is not a 402.
 */
function refuseUnreadable(
  { admissions, notify }: ChannelPorts,
  request: AdmissionRequest,
  findPrior: () => Promise<PaymentRecord | undefined>,
): (error: unknown) => Promise<Admission> {
  return async (error) => {
    const isUnreadable = error instanceof LedgerError && error.code === 'corrupt_row'
    if (!isUnreadable) throw error
    const prior = await findPrior()
    if (prior !== undefined && prior.requestDigest !== request.requestDigest) throw error
    notify({ type: 'fault', during: 'admission', error })
    return prior === undefined ? admissions.refused(request, unreadable) : admissions.unknown(prior)
  }
}

/** The receipt with the cost of a call instead of its ceiling. A fault here leaves the ceiling in it. */
async function endHeaders(
  { store, heldCalls, terms, notify }: ChannelPorts,
  call: PaymentRecord,
  ended?: ChannelRecord,
): Promise<ResponseHeaders> {
  const held = heldCalls.take(call.id)
  if (held === undefined || call.channelId === null) return {}
  try {
    const channel = ended ?? (await store.loadChannel(call.channelId))
    if (channel === undefined) return {}
    const { base, deposit } = held
    const { charged, reserved } = channel
    const ceiling = call.authorization.value
    const charge =
      call.cost === 0n ? reportNothing(held) : reportHold({ charged, reserved, base, ceiling })
    const network = terms.network.caip2
    const { cost, id: paymentId } = call
    return channelReceiptHeaders({ network, channel, charge, cost, deposit, paymentId })
  } catch (error) {
    notify({ type: 'fault', during: 'admission', error })
    return {}
  }
}
