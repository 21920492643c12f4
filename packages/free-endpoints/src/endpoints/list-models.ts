import type { ChatModelList, ImageModelList } from '@farebox/api'
import { type Catalog, type ChatModel, listedImagePrices } from '@farebox/catalogs'
import { publicAmount } from '@farebox/money'
import { blendedRate, type ChatPrice, listedRate, type Terms, termsOf } from '@farebox/pricing'
import type { Storefront } from '@farebox/storefront'

/** The chat models that are sold here, at the rates of the base tier with the markup. */
export function listChatModels(storefront: Storefront): ChatModelList {
  const catalog = storefront.catalog()
  const sold = catalog.chat.filter(storefront.isSold)
  return {
    object: 'list',
    data: sold.map((model) => openAiEntry(model, catalog)),
    total: sold.length,
    models: sold.map((model) => pricedEntry(model, storefront.terms)),
  }
}

/** A model as the lists of OpenAI have it. */
export function openAiEntry(
  { id, maker, released }: ChatModel,
  { priceHistory }: Catalog,
): ChatModelList['data'][number] {
  const date = released ?? priceHistory(id)[0]?.effectiveFrom
  return { id, object: 'model', created: secondsOf(date), owned_by: maker }
}

export function pricedEntry(
  { id, name, description, contextLength, price }: ChatModel,
  terms: Terms,
): ChatModelList['models'][number] {
  return {
    id,
    name,
    description,
    context_length: contextLength,
    pricing: listedRates(price, terms),
  }
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
