import { readFileSync } from 'node:fs'
import * as z from 'zod'
import type { ImageRecord } from '../src/image-record.ts'
import { imageRecordSchema } from '../src/image-record-schema.ts'

const factsSchema = z.strictObject({
  about: z.string(),
  sources: z.array(z.string()),
  rules: z.record(z.string(), z.string()),
  models: z.array(z.looseObject({ unverified: z.array(z.string()).optional() })),
})

/** Reads the image models: our own facts, since no package has them. */
export function readImageModels(path: URL): readonly ImageRecord[] {
  return factsSchema
    .parse(JSON.parse(readFileSync(path, 'utf8')))
    .models.map(({ unverified: _unverified, ...record }) => imageRecordSchema.parse(record))
}
