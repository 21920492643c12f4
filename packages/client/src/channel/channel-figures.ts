import { parseAtomicUsdc, type Usdc } from '@farebox/money'
import { FareboxError } from '../farebox-error.ts'
import { isRecord } from '../http/is-record.ts'
import { isText } from '../http/is-text.ts'
import { isAmount } from './channel-offer.ts'

/** A payment channel as its gateway states it. Amounts are atomic units of USDC. */
export type ChannelFigures = {
  readonly id: string
  readonly status: 'opening' | 'open' | 'closing' | 'closed' | 'frozen'
  /** CAIP-2 id of the chain. */
  readonly network: string
  readonly deposited: Usdc
  /** Refunded or withdrawn. */
  readonly returned: Usdc
  /** The cost of ended calls. */
  readonly charged: Usdc
  /** The ceilings of calls in flight. */
  readonly reserved: Usdc
  /** What further calls can cost, and what closing the channel returns. */
  readonly rest: Usdc
  /** When a pending withdrawal can be paid out, as an ISO date. */
  readonly withdrawAt: string | undefined
}

const statuses: readonly unknown[] = ['opening', 'open', 'closing', 'closed', 'frozen']

/** Reads the body of `GET /v1/channels/{id}`. Throws `invalid_response`. */
export function readChannelFigures(body: unknown): ChannelFigures {
  if (!isRecord(body)) throw mismatch()
  const { id, status, network, withdrawAt } = body
  if (typeof id !== 'string' || typeof network !== 'string' || !isStatus(status)) throw mismatch()
  const deposited = amountOf(body['deposited'])
  const returned = amountOf(body['returned'])
  if (returned > deposited) throw mismatch()
  return {
    id,
    status,
    network,
    deposited,
    returned,
    charged: amountOf(body['charged']),
    reserved: amountOf(body['reserved']),
    rest: amountOf(body['rest']),
    withdrawAt: isText(withdrawAt) ? withdrawAt : undefined,
  }
}

function isStatus(value: unknown): value is ChannelFigures['status'] {
  return statuses.includes(value)
}

function amountOf(value: unknown): Usdc {
  const usdc = isRecord(value) ? value['usdc'] : undefined
  if (!isAmount(usdc)) throw mismatch()
  return parseAtomicUsdc(usdc)
}

function mismatch(): FareboxError {
  return new FareboxError('invalid_response', 'The response body does not match the API.')
}
