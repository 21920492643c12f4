import * as z from 'zod'
import { shippedData } from '../catalog/shipped-catalog.ts'
import { chatRecordSchema } from '../chat/chat-record-schema.ts'
import { applyOverrides, type CatalogOverrides } from '../data/apply-overrides.ts'
import type { CatalogData } from '../data/catalog-data.ts'
import { imageRecordSchema } from '../image/image-record-schema.ts'
import { type Issue, issuesOf } from '../record/issue.ts'
import { distinctModels, markup, modelId } from '../record/record-fields.ts'
import { chatChangeSchema, imageChangeSchema, operatorChatModelSchema } from './operator-schema.ts'

/** Changes by the id of a model. A record of the schema leaves `__proto__` out, so it is checked first. */
function changesTo<Change>(
  change: z.ZodType<Change>,
): z.ZodDefault<z.ZodType<Record<string, Change>>> {
  return z
    .unknown()
    .refine((given) => !(given instanceof Object && Object.hasOwn(given, '__proto__')), {
      path: ['__proto__'],
      message: '__proto__ is not in the catalog',
    })
    .pipe(z.record(modelId, change))
    .default({})
}

const overridesSchema: z.ZodType<CatalogOverrides> = z.strictObject({
  markupBps: markup.exactOptional(),
  chat: z
    .strictObject({
      add: distinctModels(operatorChatModelSchema('override', 'the operator')).default([]),
      change: changesTo(chatChangeSchema),
      hide: z.array(modelId).default([]),
    })
    .prefault({}),
  images: z
    .strictObject({
      add: distinctModels(imageRecordSchema).default([]),
      change: changesTo(imageChangeSchema),
      hide: z.array(modelId).default([]),
    })
    .prefault({}),
})

/** The overrides, or all mistakes with their paths. */
export type ParsedOverrides =
  | { readonly ok: true; readonly overrides: CatalogOverrides }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/**
 * Parses the operator's file of models to add, change and hide. All mistakes are reported together,
 * each with its path: values that do not match the schema, ids that are not in the catalog, and
 * changes that make a model invalid.
 */
export function parseCatalogOverrides(
  json: unknown,
  data: CatalogData = shippedData,
): ParsedOverrides {
  const parsed = overridesSchema.safeParse(json)
  if (!parsed.success) return { ok: false, issues: issuesOf(parsed.error) }
  const overrides = parsed.data
  const unknown = [
    ...unknownIds('chat', overrides.chat, data.chat),
    ...unknownIds('images', overrides.images, data.images),
  ]
  const issues = [...unknown, ...brokenRecords(applyOverrides(data, overrides))]
  return issues.length === 0 ? { ok: true, overrides } : { ok: false, issues }
}

function unknownIds(
  kind: 'chat' | 'images',
  changes: Pick<CatalogOverrides['chat'] | CatalogOverrides['images'], 'add' | 'change' | 'hide'>,
  entries: readonly { readonly id: string }[],
): readonly Issue[] {
  const known = new Set([...entries, ...changes.add].map((entry) => entry.id))
  const named = [
    ...Object.keys(changes.change).map((id) => ({ id, path: `${kind}.change.${id}` })),
    ...changes.hide.map((id, index) => ({ id, path: `${kind}.hide.${index}` })),
  ]
  return named
    .filter(({ id }) => !known.has(id))
    .map(({ id, path }) => ({ path, message: `${id} is not in the catalog` }))
}

function brokenRecords({ chat, images }: CatalogData): readonly Issue[] {
  const broken = [
    ...chat.map((record) => ({
      id: record.id,
      kind: 'chat',
      parsed: chatRecordSchema.safeParse(record),
    })),
    ...images.map((record) => ({
      id: record.id,
      kind: 'images',
      parsed: imageRecordSchema.safeParse(record),
    })),
  ]
  return broken.flatMap(({ id, kind, parsed }) =>
    parsed.success
      ? []
      : issuesOf(parsed.error).map(({ path, message }) => ({
          path: `${kind}.${id}.${path}`,
          message,
        })),
  )
}
