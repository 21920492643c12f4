import { createChatRequestSchema, specifiedLimits } from '@farebox/api'
import { type Catalog, defaultChatModels, defaultImageModel } from '@farebox/catalogs'
import type { Usdc } from '@farebox/money'
import {
  isFunction,
  isWhole,
  refuseInvalid,
  StorefrontOptionError,
} from '../options/storefront-option-error.ts'
import type { Storefront } from './storefront.ts'

/** The settings that fix the terms and the default models. */
export type StorefrontTerms = {
  readonly PRICE_BUFFER_BPS: number
  readonly MARKUP_BPS: number
  readonly MIN_CHARGE_USDC: Usdc
  readonly MAX_MESSAGES?: number | undefined
  readonly DEFAULT_CHAT_MODEL?: string | undefined
  readonly DEFAULT_IMAGE_MODEL?: string | undefined
}

/**
 * What providers can serve; by default every model with every field, since estimates call no
 * provider.
 */
export type Provision = Pick<
  Storefront,
  | 'isSold'
  | 'unsupportedField'
  | 'rejectedPreference'
  | 'unsupportedImageField'
  | 'providersOf'
  | 'countedMessages'
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
 * Composes a storefront from the operator's settings. A default model in the settings must be sold.
 * Without one, or once it is no longer sold, the first shipped default that is sold is used, then
 * any other model.
 *
 * @throws {StorefrontOptionError} `invalid_option` for an option that is unknown or cannot work.
 * @throws {DefaultModelError} `default_model_not_sold` when no provider serves a default model.
 */
export function createStorefront(options: StorefrontOptions): Storefront {
  checkOptions(options)
  const { settings, provision = everything, ...rest } = options
  const { isSold } = provision
  checkDefaults(settings, options.catalog(), isSold)
  const defaults = defaultsOf(settings, isSold)
  return {
    ...rest,
    ...provision,
    terms: {
      bufferBps: settings.PRICE_BUFFER_BPS,
      markupBps: settings.MARKUP_BPS,
      minimumCharge: settings.MIN_CHARGE_USDC,
    },
    chatRequestSchema: createChatRequestSchema({
      ...specifiedLimits,
      messages: settings.MAX_MESSAGES ?? specifiedLimits.messages,
    }),
    get defaultChatModel() {
      return defaults(options.catalog()).chat
    },
    get defaultImageModel() {
      return defaults(options.catalog()).image
    },
  }
}

/** Without types a misspelled `provision` would sell what no provider serves. */
const optionNames: Readonly<Record<keyof StorefrontOptions, true>> = {
  settings: true,
  catalog: true,
  counter: true,
  provision: true,
  quoteLifetimeMs: true,
  now: true,
}

/** Checks what would otherwise fail at the first request, or give it a wrong price. */
function checkOptions(options: Partial<StorefrontOptions> | undefined): void {
  const { settings, catalog, counter, provision = everything, quoteLifetimeMs, now } = options ?? {}
  const unknown = Object.keys(options ?? {}).find((name) => !Object.hasOwn(optionNames, name))
  if (unknown !== undefined) {
    throw new StorefrontOptionError(`a storefront has no option ${JSON.stringify(unknown)}`)
  }
  const { MIN_CHARGE_USDC: minimum, MAX_MESSAGES: messages = 1 } = settings ?? {}
  const basisPoints = 'a whole number of basis points, 0 or above'
  refuseInvalid({
    'settings.PRICE_BUFFER_BPS': [isWhole(settings?.PRICE_BUFFER_BPS, 0), basisPoints],
    'settings.MARKUP_BPS': [isWhole(settings?.MARKUP_BPS, 0), basisPoints],
    'settings.MIN_CHARGE_USDC': [
      typeof minimum === 'bigint' && minimum >= 0n,
      "USDC in atomic units, as a bigint: parseUsdc('0.001')",
    ],
    'settings.MAX_MESSAGES': [isWhole(messages, 1), 'a whole number above 0'],
    catalog: [isFunction(catalog), 'a function that returns the current catalog'],
    counter: [isFunction(counter?.countChat), 'a token counter: await openTokenCounter({})'],
    'provision.isSold': [isFunction(provision.isSold), 'a function'],
    'provision.unsupportedField': [isFunction(provision.unsupportedField), 'a function'],
    quoteLifetimeMs: [isWhole(quoteLifetimeMs, 0), 'a whole number of milliseconds, 0 or above'],
    now: [isFunction(now), 'a function that returns milliseconds since 1970: Date.now'],
  })
}

type IsSold = Storefront['isSold']

function checkDefaults(settings: StorefrontTerms, catalog: Catalog, isSold: IsSold): void {
  const { DEFAULT_CHAT_MODEL: chat = '', DEFAULT_IMAGE_MODEL: image = '' } = settings
  const named = {
    DEFAULT_CHAT_MODEL: catalog.findChatModel(chat),
    DEFAULT_IMAGE_MODEL: catalog.findImageModel(image),
  }
  for (const [name, model] of Object.entries(named)) {
    if (model === undefined || isSold(model)) continue
    throw new DefaultModelError(
      `${name}: no enabled provider serves ${model.id}. Enable its provider or choose another model.`,
    )
  }
}

type Defaults = { readonly chat: string; readonly image: string }

/** The defaults of a catalog, found once for each. */
function defaultsOf(settings: StorefrontTerms, isSold: IsSold): (catalog: Catalog) => Defaults {
  let found: (Defaults & { readonly of: Catalog }) | undefined
  return (catalog) => {
    if (found?.of !== catalog) {
      found = {
        of: catalog,
        chat: chatDefault(settings, catalog, isSold),
        image: imageDefault(settings, catalog, isSold),
      }
    }
    return found
  }
}

function chatDefault(
  { DEFAULT_CHAT_MODEL: wanted = '' }: StorefrontTerms,
  catalog: Catalog,
  isSold: IsSold,
): string {
  const preferred = [wanted, ...defaultChatModels].flatMap((id) => catalog.findChatModel(id) ?? [])
  return [...preferred, ...catalog.chat].find(isSold)?.id ?? defaultChatModels[0]
}

function imageDefault(
  { DEFAULT_IMAGE_MODEL: wanted = '' }: StorefrontTerms,
  catalog: Catalog,
  isSold: IsSold,
): string {
  const preferred = [wanted, defaultImageModel].flatMap((id) => catalog.findImageModel(id) ?? [])
  return [...preferred, ...catalog.images].find(isSold)?.id ?? defaultImageModel
}

/** No provider serves one of the operator's default models; the message names it. */
export class DefaultModelError extends Error {
  override readonly name = 'DefaultModelError'
  readonly code = 'default_model_not_sold'
}
