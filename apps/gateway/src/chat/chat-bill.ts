import type { RecordedUsage } from '@farebox/ledger'
import { least, type Usd, type Usdc } from '@farebox/money'
import { type ChatQuote, costByRates, priceUsage, type Usage } from '@farebox/pricing'
import type { Delivered } from '@farebox/provider-proxy'
import type { CounterName } from '@farebox/tokenizer'
import type { TokenCounter } from '@farebox/tokenizer/node'

/** What an answer used and cost. */
export type ChatBill = {
  readonly usage: Usage
  readonly cost: Usdc
  /** What the provider bills, whatever was paid. */
  readonly upstream: Usd
  readonly recorded: RecordedUsage
}

export type Billed = {
  readonly quote: ChatQuote
  readonly paid: Usdc
  /** The best count of the request's input. */
  readonly inputTokens: number
  readonly counter: CounterName
  readonly delivered: Delivered
  /** The provider's figures; null where it gave none. */
  readonly usage: Usage | null
  /** From the call to the end of the answer, in ms since 1970: hours of the week have prices. */
  readonly during: { readonly from: number; readonly to: number }
}

/**
 * Bills a chat by the provider's usage, and where there is none by the tokens of what was relayed.
 * A provider that reports less than what it plainly delivered is billed by the count.
 */
export async function billChat(billed: Billed, tokens: TokenCounter): Promise<ChatBill> {
  const { quote, paid, inputTokens, delivered, during } = billed
  const reported = billed.usage
  const counted = await countDelivered(billed.counter, delivered, tokens)
  const usage = reported !== null && isPlausible(reported, counted) ? reported : countedUsage()
  const used = { served: during, ...usage }
  const cost = least(priceUsage(quote, used), paid)
  const upstream = usage.reportedCost ?? costByRates(quote.price, used)
  return { usage, cost, upstream, recorded: recordedUsage(usage) }

  function countedUsage(): Usage {
    return {
      inputTokens: reported?.inputTokens ?? inputTokens,
      outputTokens: counted.tokens,
      cacheReadTokens: reported?.cacheReadTokens ?? 0,
      cacheWriteTokens: reported?.cacheWriteTokens ?? 0,
      reasoningTokens: 0,
      source: 'counted',
    }
  }
}

/** Half of our own count, which is never far off, is less than any tokenizer would make of it. */
function isPlausible(usage: Usage, counted: { readonly tokens: number }): boolean {
  return usage.outputTokens * 2 >= counted.tokens
}

async function countDelivered(
  counter: CounterName,
  delivered: Delivered,
  tokens: TokenCounter,
): Promise<{ readonly tokens: number }> {
  const texts = delivered.choices.flatMap((choice) => [
    choice.content,
    choice.reasoning,
    choice.toolCalls,
    choice.refusal,
  ])
  const counts = await Promise.all(
    texts.filter((text) => text !== '').map((text) => tokens.countText(counter, text)),
  )
  return { tokens: counts.reduce((sum, count) => sum + count.tokens, 0) }
}

function recordedUsage({ inputTokens, outputTokens, source }: Usage): RecordedUsage {
  return { inputTokens, outputTokens, source }
}
