import {
  type Catalog,
  type CatalogData,
  type CatalogOverrides,
  type ChatRecord,
  createCatalog,
  parseCatalogOverrides,
  parseCustomProviderModels,
  shippedData,
} from '@farebox/catalogs'
import { counterNames } from '@farebox/tokenizer'
import { readOperatorFile } from './read-operator-file.ts'

/** The settings that say what the catalog holds. */
export type CatalogSettings = {
  readonly CATALOG_OVERRIDES?: string | undefined
  readonly CUSTOM_PROVIDER_MODELS?: string | undefined
  readonly DEFAULT_CHAT_MODEL?: string | undefined
  readonly DEFAULT_IMAGE_MODEL?: string | undefined
}

/** The catalog, or everything that is wrong with the operator's files, one sentence each. */
export type ReadCatalog =
  | {
      readonly status: 'valid'
      readonly catalog: Catalog
      /** What it was made from: the operator's files outrank the data and its newer prices. */
      readonly data: CatalogData
      readonly overrides: CatalogOverrides
    }
  | { readonly status: 'invalid'; readonly problems: readonly string[] }

/** Reads the shipped catalog with the operator's files, as it is at `now` (ms since 1970). */
export function readCatalog(settings: CatalogSettings, now: number): ReadCatalog {
  const { CUSTOM_PROVIDER_MODELS: models, CATALOG_OVERRIDES: overriding } = settings
  const custom = readOperatorFile(models, (json) => {
    const parsed = parseCustomProviderModels(json)
    return parsed.ok ? { value: parsed.models } : { issues: parsed.issues }
  })
  const known = { ...shippedData, chat: withModels(shippedData.chat, custom.value ?? []) }
  const changes = readOperatorFile(overriding, (json) => {
    const parsed = parseCatalogOverrides(json, known)
    return parsed.ok ? { value: parsed.overrides } : { issues: parsed.issues }
  })
  const problems = [
    ...custom.problems.map((text) => `CUSTOM_PROVIDER_MODELS: ${text}`),
    ...changes.problems.map((text) => `CATALOG_OVERRIDES: ${text}`),
  ]
  if (problems.length > 0) return { status: 'invalid', problems }
  const overrides = withCustomModels(changes.value ?? noOverrides, custom.value ?? [])
  const catalog = createCatalog({ ...shippedData, overrides, now })
  const unknown = [...unknownDefaults(settings, catalog), ...unknownCounters(catalog)]
  return unknown.length > 0
    ? { status: 'invalid', problems: unknown }
    : { status: 'valid', catalog, data: shippedData, overrides }
}

/** What is wrong with the files and default models of the settings; nothing is read without any. */
export function catalogProblems(settings: CatalogSettings, now: number): readonly string[] {
  const names = [
    'CATALOG_OVERRIDES',
    'CUSTOM_PROVIDER_MODELS',
    'DEFAULT_CHAT_MODEL',
    'DEFAULT_IMAGE_MODEL',
  ] as const
  if (names.every((name) => settings[name] === undefined)) return []
  const read = readCatalog(settings, now)
  return read.status === 'valid' ? [] : read.problems
}

/** A model of the operator's own takes the place of a shipped one with its id. */
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
  { chat, images }: CatalogOverrides,
  custom: readonly ChatRecord[],
): CatalogOverrides {
  return { chat: { ...chat, add: withModels(custom, chat.add) }, images }
}

function unknownDefaults(settings: CatalogSettings, catalog: Catalog): readonly string[] {
  const { DEFAULT_CHAT_MODEL: chat, DEFAULT_IMAGE_MODEL: image } = settings
  const problems: string[] = []
  if (chat !== undefined && catalog.findChatModel(chat) === undefined) {
    problems.push(`DEFAULT_CHAT_MODEL: the catalog has no chat model ${JSON.stringify(chat)}.`)
  }
  if (image !== undefined && catalog.findImageModel(image) === undefined) {
    problems.push(`DEFAULT_IMAGE_MODEL: the catalog has no image model ${JSON.stringify(image)}.`)
  }
  return problems
}

/** A model whose counter is misspelt would be sold by a poorer count. */
function unknownCounters({ chat }: Catalog): readonly string[] {
  const known = new Set<string>(counterNames)
  return chat
    .filter(({ counter }) => !known.has(counter))
    .map(
      ({ id, counter }) =>
        `${id} has the unknown counter ${JSON.stringify(counter)}. There are ${counterNames.join(', ')}.`,
    )
}
