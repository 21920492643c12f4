import type { ChatEstimate } from '@farebox/api'
import { publicAmount } from '@farebox/money'
import { explainQuote } from '@farebox/pricing'
import type { ChatSale } from '@farebox/storefront'
import { quoteLines } from './quote-lines.ts'

/** The estimate of a chat request; `lines` adds those of the quote. */
export function estimateChat(sale: ChatSale, detail: 'total' | 'lines'): ChatEstimate {
  const [quote] = sale.quotes
  return {
    model: sale.model.id,
    estimatedInputTokens: sale.inputTokens,
    estimatedOutputTokens: sale.maxTokens,
    estimatedCost: {
      usd: publicAmount(quote.maximum).usd,
      note: 'The maximum, paid up front. Whatever the completion does not cost is refunded to the paying wallet automatically.',
    },
    message: `The same chat request is quoted at this price. ${precision(sale)} With its full output, it is likely to cost ${publicAmount(quote.likely).usd} USD.`,
    ...(detail === 'lines' && { explanation: quoteLines(explainQuote(quote)) }),
  }
}

/** How precise the count of the input is. */
function precision({ inputCount, inputTokensAtMost }: ChatSale): string {
  switch (inputCount) {
    case 'exact':
      return 'The input tokens are exact.'
    case 'texts':
      return `The texts are counted exactly, the other input tokens are an estimate; the price covers up to ${inputTokensAtMost}.`
    case 'estimate':
      return `The input tokens are an estimate; the price covers up to ${inputTokensAtMost}.`
  }
}
