import { type Delivered, isNothing } from '@farebox/provider-proxy'
import type { ChatSale } from '@farebox/storefront'
import type { ChatRoute } from '../providers/provider-routes.ts'

/**
 * What a completion without the provider's usage is billed by.
 *
 * - `counted`: the input and the text that the provider delivered
 * - `nothing`: the minimum charge alone
 * - `most`: the input and all output that may be billed
 */
export type UnmeteredBasis = 'counted' | 'nothing' | 'most'

type Reasoning = {
  readonly sale: {
    readonly model: Pick<ChatSale['model'], 'reasoning'>
    readonly request: ChatSale['request']
  }
  readonly route: {
    readonly provider: Pick<ChatRoute['provider'], 'reasoning'>
    readonly upstreamModel: string
  }
}

/** Whether the provider may bill reasoning that its response does not contain. */
export function mayReasonUnseen({ sale: { model, request }, route }: Reasoning): boolean {
  const { provider, upstreamModel } = route
  const { reasoning } = provider
  const display =
    typeof reasoning === 'function' ? reasoning({ request, upstreamModel }) : reasoning
  if (display !== 'hidden' || model.reasoning === 'none') return false
  return model.reasoning === 'always' || request.reasoning_effort !== 'none'
}

/** For a client that disconnected: text it did not read counts, and reasoning not shown may too. */
export function basisAfterDisconnect(delivered: Delivered, reasoning: Reasoning): UnmeteredBasis {
  if (isNothing(delivered)) return 'nothing'
  return mayReasonUnseen(reasoning) ? 'most' : 'counted'
}
