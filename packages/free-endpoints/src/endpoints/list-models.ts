import type { ChatModelList, ImageModelList } from '@farebox/api'
import { listedImagePrices } from '@farebox/catalogs'
import { publicAmount } from '@farebox/money'
import { blendedRate, type ChatPrice, listedRate, type Terms, termsOf } from '@farebox/pricing'
import type { Storefront } from '@farebox/storefront'

/** The chat models that are sold here, at the rates of the base tier with the markup. */
export function listChatModels({ catalog, isSold, terms }: Storefront): ChatModelList {
  const { chat, priceHistory } = catalog()
  const sold = chat.filter(isSold)
  const models = sold.map((model) => ({
    id: model.id,
    name: model.name,
    description: model.description,
    context_length: model.contextLength,
    pricing: listedRates(model.price, terms),
  }))
  const data = sold.map(({ id, maker, released }) => ({
    id,
    object: 'model' as const,
    created: secondsOf(released ?? priceHistory(id)[0]?.effectiveFrom),
    owned_by: maker,
  }))
  return { object: 'list', data, total: models.length, models }
}

/** Seconds since 1970; 0 without a date. */
function secondsOf(date: string | undefined): number {
  return date === undefined ? 0 : Math.floor(Date.parse(date) / 1000)
}

function listedRates(price: ChatPrice, terms: Terms) {
  const { markupBps } = termsOf(price, terms)
  return {
    input_per_1k_tokens: Number(listedRate(price.rates.input, markupBps)),
    output_per_1k_tokens: Number(listedRate(price.rates.output, markupBps)),
    blended_per_1k_tokens: Number(blendedRate(price.rates, markupBps)),
  }
}

/** The image models that are sold here, with their price at common sizes. */
export function listImageModels({ catalog, isSold, terms }: Storefront): ImageModelList {
  const models = catalog()
    .images.filter(isSold)
    .map((model) => ({
      id: model.id,
      name: model.name,
      description: model.description,
      architecture: model.architecture,
      category: model.category,
      supportsSteps: model.steps !== undefined,
      ...(model.steps && { defaultSteps: model.steps.default }),
      pricing: { ...listedImagePrices(model, termsOf(model.price, terms).markupBps) },
    }))
  return { total: models.length, models, note: priceNote(terms) }
}

function priceNote({ minimumCharge }: Terms): string {
  return `Prices of one image at the model's default steps, with the operator's margin. A call costs at least ${publicAmount(minimumCharge).usd} USD. What is paid up front is the maximum that /v1/images/estimate states; the rest is refunded.`
}
