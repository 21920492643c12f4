import {
  type Catalog,
  type CatalogData,
  type CatalogOverrides,
  type ChatRecord,
  type CustomServer,
  createCatalog,
  parseCatalogOverrides,
  parseCustomProviderModels,
  shippedData,
} from '@farebox/catalogs'
import { counterNames } from '@farebox/tokenizer'
import { readOperatorFile } from '../operator-files/read-operator-file.ts'
import { readCustomServers } from './read-custom-servers.ts'

/** The settings that decide what the catalog holds. */
export type CatalogSettings = {
  readonly CATALOG_OVERRIDES?: string | undefined
  readonly CUSTOM_PROVIDER_MODELS?: string | undefined
  readonly CUSTOM_PROVIDERS?: string | undefined
  readonly DEFAULT_CHAT_MODEL?: string | undefined
  readonly DEFAULT_IMAGE_MODEL?: string | undefined
}

export type ValidCatalog = {
  readonly status: 'valid'
  readonly catalog: Catalog
  /** What it was built from: the operator's files outrank the data and refreshed prices. */
  readonly data: CatalogData
  readonly overrides: CatalogOverrides
  /** The servers of `CUSTOM_PROVIDERS` as JSON. */
  readonly servers: string
}

/** The catalog, or all problems of the operator's files, one sentence each. */
export type ReadCatalog =
  | ValidCatalog
  | { readonly status: 'invalid'; readonly problems: readonly string[] }

/** Reads the shipped catalog with the operator's files, as of `now` (milliseconds since 1970). */
export function readCatalog(settings: CatalogSettings, now: number): ReadCatalog {
  const custom = readOperatorFile(settings.CUSTOM_PROVIDER_MODELS, (json) => {
    const parsed = parseCustomProviderModels(json)
    return parsed.ok ? { value: parsed.models } : { issues: parsed.issues }
  })
  const servers = readCustomServers(settings.CUSTOM_PROVIDERS)
  const own = withModels(custom.value ?? [], servers.value?.models ?? [])
  const known = { ...shippedData, chat: withModels(shippedData.chat, own) }
  const changes = readOperatorFile(settings.CATALOG_OVERRIDES, (json) => {
    const parsed = parseCatalogOverrides(json, known)
    return parsed.ok ? { value: parsed.overrides } : { issues: parsed.issues }
  })
  const problems = [
    ...custom.problems.map((text) => `CUSTOM_PROVIDER_MODELS: ${text}`),
    ...servers.problems.map((text) => `CUSTOM_PROVIDERS: ${text}`),
    ...changes.problems.map((text) => `CATALOG_OVERRIDES: ${text}`),
  ]
  if (problems.length > 0) return { status: 'invalid', problems }
  const overrides = withCustomModels(changes.value ?? noOverrides, own)
  const catalog = createCatalog({ ...shippedData, overrides, now })
  const unknown = [
    ...unknownDefaults(settings, catalog),
    ...unknownCounters(catalog),
    ...unknownServers(catalog, servers.value?.servers),
  ]
  return unknown.length > 0
    ? { status: 'invalid', problems: unknown }
    : {
        status: 'valid',
        catalog,
        data: shippedData,
        overrides,
        servers: JSON.stringify(servers.value?.servers ?? []),
      }
}

/** The files that the catalog is read from. */
export function catalogFiles(settings: CatalogSettings): readonly string[] {
  const { CATALOG_OVERRIDES, CUSTOM_PROVIDER_MODELS, CUSTOM_PROVIDERS } = settings
  return [CATALOG_OVERRIDES, CUSTOM_PROVIDER_MODELS, CUSTOM_PROVIDERS].filter(
    (path) => path !== undefined,
  )
}

/** The problems of the files and default models of the settings; reads nothing if none is set. */
export function catalogProblems(settings: CatalogSettings, now: number): readonly string[] {
  const names = [
    'CATALOG_OVERRIDES',
    'CUSTOM_PROVIDER_MODELS',
    'CUSTOM_PROVIDERS',
    'DEFAULT_CHAT_MODEL',
    'DEFAULT_IMAGE_MODEL',
  ] as const
  if (names.every((name) => settings[name] === undefined)) return []
  const read = readCatalog(settings, now)
  return read.status === 'valid' ? [] : read.problems
}

/** An operator's model replaces a shipped one with the same id. */
function withModels(
  shipped: readonly ChatRecord[],
  own: readonly ChatRecord[],
): readonly ChatRecord[] {
  const ids = new Set(own.map(({ id }) => id))
  return [...shipped.filter(({ id }) => !ids.has(id)), ...own]
}

const nothing = { add: [], change: {}, hide: [] }
const noOverrides: CatalogOverrides = { chat: nothing, images: nothing }

function withCustomModels(
  overrides: CatalogOverrides,
  custom: readonly ChatRecord[],
): CatalogOverrides {
  const { chat } = overrides
  return { ...overrides, chat: { ...chat, add: withModels(custom, chat.add) } }
}

function unknownDefaults(settings: CatalogSettings, catalog: Catalog): readonly string[] {
  const { DEFAULT_CHAT_MODEL: chat, DEFAULT_IMAGE_MODEL: image } = settings
  const problems: string[] = []
  if (chat !== undefined && catalog.findChatModel(chat) === undefined) {
    problems.push(
      `DEFAULT_CHAT_MODEL: ${JSON.stringify(chat)} is not a chat model of the catalog. Use the id of one that is.`,
    )
  }
  if (image !== undefined && catalog.findImageModel(image) === undefined) {
    problems.push(
      `DEFAULT_IMAGE_MODEL: ${JSON.stringify(image)} is not an image model of the catalog. Use the id of one that is.`,
    )
  }
  return problems
}

/** A model with a misspelled counter would be quoted by a less exact count. */
function unknownCounters({ chat }: Catalog): readonly string[] {
  const known = new Set<string>(counterNames)
  return chat
    .filter(({ counter }) => !known.has(counter))
    .map(
      ({ id, counter }) =>
        `${id} has the unknown counter ${JSON.stringify(counter)}. Use one of ${counterNames.join(', ')}.`,
    )
}

/**
 * A model with a misspelled server would be sold by its other routes only. Without a file of servers,
 * which the estimator never has, they are like providers without a key.
 */
function unknownServers(
  { chat }: Catalog,
  servers: readonly CustomServer[] | undefined,
): readonly string[] {
  if (servers === undefined) return []
  const names = servers.map(({ provider }) => provider)
  return chat.flatMap(({ id, routes }) =>
    routes
      .filter(({ provider }) => provider.startsWith('custom:') && !names.includes(provider))
      .map(
        ({ provider }) =>
          `${id} has a route to ${provider}, which is not in CUSTOM_PROVIDERS. Use one of ${names.join(', ')}.`,
      ),
  )
}
