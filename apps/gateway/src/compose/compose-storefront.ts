import {
  type Catalog,
  type ChatModel,
  defaultChatModels,
  defaultImageModel,
  type ImageModel,
} from '@farebox/catalogs'
import type { LiveCatalog, Storefront } from '@farebox/free-endpoints'
import { unsupportedField } from '@farebox/provider-proxy'
import type { TokenCounter } from '@farebox/tokenizer/node'
import type { ProviderSet } from '../providers/provider-routes.ts'
import type { Config } from '../settings.ts'

export type StorefrontOptions = {
  readonly config: Config
  readonly live: LiveCatalog
  readonly providers: ProviderSet
  readonly counter: TokenCounter
  readonly now: () => number
}

/** How long a 402 may be paid: prices that held then are honoured for as long. */
const quoteLifetimeMs = 360_000

/**
 * Puts together what is for sale: the catalog, the terms, the providers.
 *
 * @throws {DefaultModelError} when a default model is not sold.
 */
export function composeStorefront(options: StorefrontOptions): Storefront {
  const { config, live, providers, counter, now } = options
  const catalog = live.current()
  const isSold: Storefront['isSold'] = (model) =>
    'contextLength' in model
      ? providers.chatRoute(model) !== undefined
      : providers.imageRoute(model) !== undefined
  const chat = {
    name: 'DEFAULT_CHAT_MODEL',
    model: catalog.findChatModel(config.DEFAULT_CHAT_MODEL ?? ''),
  }
  const image = {
    name: 'DEFAULT_IMAGE_MODEL',
    model: catalog.findImageModel(config.DEFAULT_IMAGE_MODEL ?? ''),
  }
  return {
    catalog: live.current,
    terms: {
      bufferBps: config.PRICE_BUFFER_BPS,
      markupBps: config.MARKUP_BPS,
      minimumCharge: config.MIN_CHARGE_USDC,
    },
    counter,
    defaultChatModel: soldDefault(chat, isSold) ?? firstSoldChat(catalog, isSold),
    defaultImageModel: soldDefault(image, isSold) ?? firstSoldImage(catalog, isSold),
    isSold,
    unsupportedField: (model, request) => {
      const limits = providers.chatRoute(model)?.limits
      return (limits && unsupportedField(limits, request)) ?? undefined
    },
    unsupportedImageField: (model, request) =>
      providers.imageRoute(model)?.unsupported.find((field) => request[field] !== undefined),
    quoteLifetimeMs,
    now,
  }
}

/** The first of the models meant as default that is sold; else the first of all that are sold. */
function firstSoldChat(catalog: Catalog, isSold: Storefront['isSold']): string {
  const meant = defaultChatModels.flatMap((id) => catalog.findChatModel(id) ?? [])
  const [first] = [...meant, ...catalog.chat].filter(isSold)
  return first?.id ?? defaultChatModels[0]
}

function firstSoldImage(catalog: Catalog, isSold: Storefront['isSold']): string {
  const meant = catalog.findImageModel(defaultImageModel)
  const [first] = [...(meant ? [meant] : []), ...catalog.images].filter(isSold)
  return first?.id ?? defaultImageModel
}

function soldDefault(
  { name, model }: { readonly name: string; readonly model: ChatModel | ImageModel | undefined },
  isSold: Storefront['isSold'],
): string | undefined {
  if (model === undefined || isSold(model)) return model?.id
  throw new DefaultModelError(`${name}: no provider that is on serves ${model.id}.`)
}

/** A default model of the operator's that no provider serves; the message names it. */
export class DefaultModelError extends Error {
  override readonly name = 'DefaultModelError'
  readonly code = 'default_model_not_sold'
}
