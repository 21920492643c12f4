import { readFile } from 'node:fs/promises'
import {
  type Catalog,
  type ChatRecord,
  createCatalog,
  defaultChatModels,
  defaultImageModel,
  type Issue,
  parseCatalogOverrides,
  parseCustomProviderModels,
  shippedData,
} from '@farebox/catalogs'
import type { Storefront } from '@farebox/free-endpoints'
import type { TokenCounter } from '@farebox/tokenizer/node'
import type { ProviderSet } from './providers.ts'
import type { Config } from './settings.ts'

export type StorefrontOptions = {
  readonly config: Config
  readonly providers: ProviderSet
  readonly counter: TokenCounter
  readonly now: () => number
}

/** How long a 402 may be paid: prices that held then are honoured for as long. */
const quoteLifetimeMs = 360_000

/**
 * Puts together what is for sale: the catalog with the operator's files, the terms, the providers.
 *
 * @throws {CatalogFileError} when a file cannot be read or breaks its schema.
 */
export async function composeStorefront(options: StorefrontOptions): Promise<Storefront> {
  const { config, providers, counter, now } = options
  const catalog = await openCatalog(config, now())
  const isSold: Storefront['isSold'] = (model) =>
    'contextLength' in model
      ? providers.chatRoute(model) !== undefined
      : providers.imageRoute(model) !== undefined
  return {
    catalog: () => catalog.at(now()),
    terms: {
      bufferBps: config.PRICE_BUFFER_BPS,
      markupBps: config.MARKUP_BPS,
      minimumCharge: config.MIN_CHARGE_USDC,
    },
    counter,
    defaultChatModel: config.DEFAULT_CHAT_MODEL ?? firstSoldChat(catalog, isSold),
    defaultImageModel: config.DEFAULT_IMAGE_MODEL ?? firstSoldImage(catalog, isSold),
    isSold,
    refusedFields: (model) => providers.chatRoute(model)?.refusedFields ?? new Set(),
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

async function openCatalog(config: Config, now: number): Promise<Catalog> {
  const custom = await readCustomModels(config.CUSTOM_PROVIDER_MODELS)
  const data = { ...shippedData, chat: [...shippedData.chat, ...custom] }
  const path = config.CATALOG_OVERRIDES
  if (path === undefined) return createCatalog({ ...data, now })
  const parsed = parseCatalogOverrides(await readJsonFile('CATALOG_OVERRIDES', path), data)
  if (!parsed.ok) throw badFile('CATALOG_OVERRIDES', path, parsed.issues)
  return createCatalog({ ...data, overrides: parsed.overrides, now })
}

async function readCustomModels(path: string | undefined): Promise<readonly ChatRecord[]> {
  if (path === undefined) return []
  const parsed = parseCustomProviderModels(await readJsonFile('CUSTOM_PROVIDER_MODELS', path))
  if (!parsed.ok) throw badFile('CUSTOM_PROVIDER_MODELS', path, parsed.issues)
  return parsed.models
}

async function readJsonFile(name: string, path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new CatalogFileError(`${name}: ${path} cannot be read`, { cause })
  })
  return parseJson(name, path, text)
}

function badFile(name: string, path: string, issues: readonly Issue[]): CatalogFileError {
  const list = issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ')
  return new CatalogFileError(`${name}: ${path}: ${list}`)
}

function parseJson(name: string, path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CatalogFileError(`${name}: ${path} is not JSON`, { cause })
  }
}

/** A file of the operator's that cannot be used; the message names the file and the field. */
export class CatalogFileError extends Error {
  override readonly name = 'CatalogFileError'
  readonly code = 'invalid_catalog_file'
}
