import { readFileSync } from 'node:fs'
import * as z from 'zod'
import type { ImageRecord } from '../src/image/image-record.ts'
import { imageRecordSchema } from '../src/image/image-record-schema.ts'

const status = z.enum(['published', 'third-party', 'estimate'])

const factsSchema = z.strictObject({
  about: z.string(),
  sources: z.array(z.string()),
  rules: z.record(z.string(), z.string()),
  models: z.array(
    z.looseObject({
      /** How well the price of each common size is known. */
      priceStatus: z.record(z.string(), status),
      unverified: z.array(z.string()).optional(),
    }),
  ),
})

export type ImageFacts = {
  readonly records: readonly ImageRecord[]
  /** How each price point of all models is known. */
  readonly statuses: readonly z.infer<typeof status>[]
}

/** Reads the image models: our own facts, since no package has them. */
export function readImageFacts(path: URL): ImageFacts {
  const { models } = factsSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
  return {
    records: models.map(({ priceStatus: _status, unverified: _unverified, ...record }) =>
      imageRecordSchema.parse(record),
    ),
    statuses: models.flatMap(({ priceStatus }) => Object.values(priceStatus)),
  }
}
