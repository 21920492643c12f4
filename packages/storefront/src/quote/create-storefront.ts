import {
  type Catalog,
  type ChatModel,
  defaultChatModels,
  defaultImageModel,
  type ImageModel,
} from '@farebox/catalogs'
import type { Usdc } from '@farebox/money'
import type { Storefront } from './storefront.ts'

/** The settings that fix the terms and the default models. */
export type StorefrontTerms = {
  readonly PRICE_BUFFER_BPS: number
  readonly MARKUP_BPS: number
  readonly MIN_CHARGE_USDC: Usdc
  readonly DEFAULT_CHAT_MODEL?: string | undefined
  readonly DEFAULT_IMAGE_MODEL?: string | undefined
}

/** What providers can serve; by default every model with every field, since estimates call none. */
export type Provision = Pick<
  Storefront,
  'isSold' | 'unsupportedField' | 'rejectedPreference' | 'unsupportedImageField'
>

export type StorefrontOptions = Pick<
  Storefront,
  'catalog' | 'counter' | 'quoteLifetimeMs' | 'now'
> & {
  readonly settings: StorefrontTerms
  readonly provision?: Provision
}

const everything: Provision = { isSold: () => true, unsupportedField: () => undefined }

/**
 * Composes a storefront from the operator's settings. A default model of the settings must be sold;
 * without one, the first of the shipped defaults that is sold is taken, then any other.
 *
 * @throws {DefaultModelError} `default_model_not_sold` when no provider serves a default model.
 */
export function createStorefront(options: StorefrontOptions): Storefront {
  const { settings, provision = everything, ...rest } = options
  const catalog = options.catalog()
  return {
    ...rest,
    ...provision,
    terms: {
      bufferBps: settings.PRICE_BUFFER_BPS,
      markupBps: settings.MARKUP_BPS,
      minimumCharge: settings.MIN_CHARGE_USDC,
    },
    defaultChatModel: chatDefault(settings, catalog, provision),
    defaultImageModel: imageDefault(settings, catalog, provision),
  }
}

function chatDefault(
  { DEFAULT_CHAT_MODEL: wanted }: StorefrontTerms,
  catalog: Catalog,
  { isSold }: Provision,
): string {
  const model = wanted === undefined ? undefined : catalog.findChatModel(wanted)
  if (model !== undefined) return checkSold('DEFAULT_CHAT_MODEL', model, isSold)
  const shipped = defaultChatModels.flatMap((id) => catalog.findChatModel(id) ?? [])
  return [...shipped, ...catalog.chat].find(isSold)?.id ?? defaultChatModels[0]
}

function imageDefault(
  { DEFAULT_IMAGE_MODEL: wanted }: StorefrontTerms,
  catalog: Catalog,
  { isSold }: Provision,
): string {
  const model = wanted === undefined ? undefined : catalog.findImageModel(wanted)
  if (model !== undefined) return checkSold('DEFAULT_IMAGE_MODEL', model, isSold)
  const shipped = catalog.findImageModel(defaultImageModel)
  return [...(shipped ? [shipped] : []), ...catalog.images].find(isSold)?.id ?? defaultImageModel
}

function checkSold(
  name: 'DEFAULT_CHAT_MODEL' | 'DEFAULT_IMAGE_MODEL',
  model: ChatModel | ImageModel,
  isSold: Storefront['isSold'],
): string {
  if (isSold(model)) return model.id
  throw new DefaultModelError(
    `${name}: no enabled provider serves ${model.id}. Enable its provider or choose another model.`,
  )
}

/** No provider serves one of the operator's default models; the message names it. */
export class DefaultModelError extends Error {
  override readonly name = 'DefaultModelError'
  readonly code = 'default_model_not_sold'
}
