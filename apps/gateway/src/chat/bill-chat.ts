import type { RecordedUsage } from '@farebox/ledger'
import { atomicUsdc, subtract, toUsdcCeil, type Usd, type Usdc } from '@farebox/money'
import { type ChatQuote, costByRates, priceUsage, type Usage } from '@farebox/pricing'
import type { Delivered } from '@farebox/provider-proxy'
import type { CounterName } from '@farebox/tokenizer'
import { type TokenCounter, TokenQueueFullError } from '@farebox/tokenizer/node'
import { provokedCost } from '../paid/failure/provoked-cost.ts'
import { billableOutput } from './billable-output.ts'
import type { UnmeteredBasis } from './unmetered-basis.ts'

/** What a completion used and cost. */
export type ChatBill = {
  readonly usage: Usage
  readonly cost: Usdc
  /** What the provider bills, however much was paid. */
  readonly upstream: Usd
  readonly recorded: RecordedUsage
  /** What the provider may bill beyond `upstream`, although it reported nothing. */
  readonly unpaidCost?: Usdc
  /** The client left before the first word of a long input, or its request may have caused an early end. */
  readonly faultOf?: 'payer' | undefined
}

export type Billed = {
  /** The quote that was paid: its maximum caps the cost. */
  readonly quote: ChatQuote
  /** The best count of the request's input. */
  readonly inputTokens: number
  readonly counter: CounterName
  readonly delivered: Delivered
  /** The provider's figures; null when it reported none. */
  readonly usage: Usage | null
  /** What is billed when it reported none. */
  readonly withoutUsage: UnmeteredBasis
  /** What it had counted when its response ended early. */
  readonly usageSoFar: Usage | null
  /** From the call to the end of the completion, in ms since 1970: prices vary by the hour. */
  readonly during: { readonly from: number; readonly to: number }
  /** The request may have caused the early end, and the provider may bill more than is paid. */
  readonly faultOf?: 'payer'
}

/**
 * Bills a chat by the provider's usage, or on the basis of `withoutUsage` when it reported none. A
 * provider that reports less than it plainly delivered is billed by the count. Text that finds no room in the
 * queue of the counter is billed all the same: anyone can fill it.
 */
export async function billChat(billed: Billed, tokens: TokenCounter): Promise<ChatBill> {
  const { quote, delivered, during, usage: reported } = billed
  const counted = await countDelivered(billed.counter, delivered, tokens).catch(nullIfQueueFull)
  const isUsable = reported !== null && (counted === null || isPlausible(reported, counted))
  const usage = isUsable ? reported : ownUsage(billed, counted ?? estimatedTokens(delivered))
  const used = { served: during, ...usage }
  const cost = priceUsage(quote, used)
  const upstream = usage.reportedCost ?? costByRates(quote.price, used)
  const bill = { usage, cost, upstream, recorded: recordedUsage(usage) }
  return { ...bill, ...faultOf(billed, bill) }
}

const oneCent = atomicUsdc(10_000n)

function faultOf(
  { faultOf: provokedBy, withoutUsage, quote, inputTokens, during }: Billed,
  { usage, cost }: Pick<ChatBill, 'usage' | 'cost'>,
): Pick<ChatBill, 'unpaidCost' | 'faultOf'> {
  if (provokedBy !== undefined) {
    return { faultOf: provokedBy, unpaidCost: provokedCost(subtract(quote.maximum, cost)) }
  }
  if (withoutUsage !== 'nothing' || usage.inputTokens > 0) return {}
  const input = { ...noTokens, source: 'counted', inputTokens, served: during } as const
  const unpaidCost = toUsdcCeil(costByRates(quote.price, input))
  return { unpaidCost, ...(unpaidCost > oneCent && { faultOf: 'payer' }) }
}

function ownUsage({ usage: reported, ...billed }: Billed, counted: number): Usage {
  const own: Usage = { ...noTokens, source: 'counted', ...unmeteredTokens(billed, counted) }
  if (reported === null) return own
  return { ...own, ...inputOf(reported), outputTokens: counted }
}

function inputOf(usage: Usage): Partial<Usage> {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, cacheWriteHourTokens: hour } = usage
  const input = { inputTokens, cacheReadTokens, cacheWriteTokens }
  return hour === undefined ? input : { ...input, cacheWriteHourTokens: hour }
}

const noTokens = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
}

/** The input as the provider counted it, if it has: it bills caches at other rates. */
function unmeteredTokens(
  { quote, inputTokens, withoutUsage, usageSoFar }: Omit<Billed, 'usage'>,
  counted: number,
): Partial<Usage> {
  const reported = usageSoFar === null ? undefined : inputOf(usageSoFar)
  const input = reported ?? { inputTokens }
  const made = Math.max(counted, usageSoFar?.outputTokens ?? 0)
  // The provider's usage came, and its response broke off after it.
  const isReported = made > 0 && made === usageSoFar?.outputTokens
  switch (withoutUsage) {
    case 'nothing':
      return reported ?? {}
    case 'counted':
      return {
        ...input,
        outputTokens: made,
        reasoningTokens: made - counted,
        ...(isReported && { source: 'provider' }),
      }
    case 'most': {
      const outputTokens = Math.max(billableOutput(quote), made)
      return { ...input, outputTokens, reasoningTokens: outputTokens - counted }
    }
  }
}

/** No tokenizer counts fewer than half as many tokens as ours. */
function isPlausible(usage: Usage, counted: number): boolean {
  return usage.outputTokens * 2 >= counted
}

async function countDelivered(
  counter: CounterName,
  delivered: Delivered,
  tokens: TokenCounter,
): Promise<number> {
  const counts = await Promise.all(
    textsOf(delivered).map((text) => tokens.countText(counter, text)),
  )
  return counts.reduce((sum, count) => sum + count.tokens, 0)
}

function nullIfQueueFull(error: unknown): null {
  if (error instanceof TokenQueueFullError) return null
  throw error
}

function estimatedTokens(delivered: Delivered): number {
  return Math.ceil(textsOf(delivered).reduce((sum, { length }) => sum + length, 0) / 4)
}

function textsOf({ choices }: Delivered): readonly string[] {
  return choices
    .flatMap(({ content, reasoning, toolCalls, refusal }) => [
      content,
      reasoning,
      toolCalls,
      refusal,
    ])
    .filter((text) => text !== '')
}

function recordedUsage({ inputTokens, outputTokens, source }: Usage): RecordedUsage {
  return { inputTokens, outputTokens, source }
}
