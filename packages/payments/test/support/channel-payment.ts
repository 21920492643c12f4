import type { DevnetAccount } from '@farebox/devnet'
import type { ChannelConfig, Hex } from '@farebox/ledger'
import type { Admission, AdmissionRequest, ResponseHeaders } from '@farebox/payments'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import type { PaymentRequirements } from '@x402/core/types'
import {
  buildChannelConfig,
  computeChannelId,
  createBatchSettlementEIP3009DepositPayload,
  signVoucher,
} from '@x402/evm/batch-settlement/client'
import { privateKeyToAccount } from 'viem/accounts'
import { encode, network, usdc } from './pay.ts'
import { requestFor, type TestPaywall } from './test-paywall.ts'

/** A request for so much at most, as its digest names it. */
export function callFor(
  headers: AdmissionRequest['headers'],
  { ceiling, digest = 'a' }: { readonly ceiling: bigint; readonly digest?: string },
): AdmissionRequest {
  return requestFor(headers, {
    offers: [{ amount: usdc(ceiling), model: 'sandbox/echo', priceVersion: 'v1' }],
    requestDigest: digest.padEnd(64, '0'),
  })
}

export type CallSigning = {
  readonly ceiling: bigint
  /** Where the payer stands: the voucher is up to base + ceiling. */
  readonly base?: bigint
  readonly digest?: string
  readonly deposit?: bigint
  readonly config?: Partial<ChannelConfig>
  /** Changes the payload after it was signed. */
  readonly forge?: (payload: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
}

export type SignedCall = {
  readonly headers: { readonly 'payment-signature': string }
  readonly config: ChannelConfig
  readonly channelId: Hex
  readonly payload: Readonly<Record<string, unknown>>
}

/** Signs what a stock client would, against the terms of a 402. */
export async function signCall(
  paywall: Pick<TestPaywall, 'gate'>,
  payer: DevnetAccount,
  signing: CallSigning,
): Promise<SignedCall> {
  const { ceiling, base = 0n, deposit, forge = (payload) => payload } = signing
  const accepted = channelEntry(await paywall.gate.admit(callFor({}, { ceiling })))
  const account = privateKeyToAccount(payer.privateKey)
  const salt = `0x${'0'.repeat(64)}` as const
  const config = {
    ...buildChannelConfig({ signer: account, salt, storage: noStorage }, accepted),
    ...signing.config,
  }
  const channelId = computeChannelId(config, network.caip2)
  const max = (base + ceiling).toString()
  const payload =
    deposit === undefined
      ? {
          type: 'voucher',
          channelConfig: config,
          voucher: await signVoucher(account, channelId, max, network.caip2),
        }
      : (
          await createBatchSettlementEIP3009DepositPayload(
            account,
            2,
            accepted,
            config,
            deposit.toString(),
            max,
          )
        ).payload
  const sent = forge(payload)
  const headers = { 'payment-signature': encode({ x402Version: 2, accepted, payload: sent }) }
  return { headers, config, channelId, payload: sent }
}

const noStorage = { get: async () => undefined, set: async () => {}, delete: async () => {} }

/** Signs and presents a call. */
export async function presentCall(
  paywall: Pick<TestPaywall, 'gate'>,
  payer: DevnetAccount,
  signing: CallSigning,
): Promise<Admission> {
  const { headers } = await signCall(paywall, payer, signing)
  return await paywall.gate.admit(callFor(headers, signing))
}

/** The second entry of a 402. */
export function channelEntry(admission: Admission): PaymentRequirements {
  const entry = challengeOf(admission).accepts.find(({ scheme }) => scheme === 'batch-settlement')
  if (entry === undefined) throw new Error('channels are not offered')
  return entry
}

/** The error of a 402. */
export function refusalOf(admission: Admission): string | undefined {
  return challengeOf(admission).error
}

/** The receipt in a 402 of a deposit that was made all the same. */
export function depositReceiptOf(admission: Admission): unknown {
  if (admission.status !== 'rejected') throw new Error(`expected a 402, got ${admission.status}`)
  const { headers }: { readonly headers: ResponseHeaders } = admission
  return decodePaymentResponseHeader(headers['PAYMENT-RESPONSE'] ?? '')
}

function challengeOf(admission: Admission) {
  if (admission.status !== 'required' && admission.status !== 'rejected') {
    throw new Error(`expected a 402, got ${admission.status}`)
  }
  const { headers }: { readonly headers: ResponseHeaders } = admission
  return decodePaymentRequiredHeader(headers['PAYMENT-REQUIRED'] ?? '')
}
