import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'

const ratesSchema = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
})

const entrySchema = z.object({
  type: z.literal('chat'),
  id: z.string(),
  name: z.string(),
  reasoning: z.boolean(),
  thinkingLevelMap: z.record(z.string(), z.string().nullable()).optional(),
  input: z.array(z.enum(['text', 'image'])),
  cost: ratesSchema.extend({
    tiers: z.array(ratesSchema.extend({ inputTokensAbove: z.number() })).optional(),
  }),
  contextWindow: z.number(),
  maxTokens: z.number(),
})

/** A chat model as pi-ai lists it for one provider; prices in USD per 1,000,000 tokens. */
export type PiAiEntry = z.infer<typeof entrySchema>

/** Reads pi-ai's lists: a function from provider file and model id to its entry. */
export function readPiAi(folder: string): (file: string, id: string) => PiAiEntry {
  const files = new Map<string, Map<string, PiAiEntry>>()
  return (file, id) => {
    const entries = files.get(file) ?? piAiEntries(folder, file)
    files.set(file, entries)
    const entry = entries.get(id)
    if (entry === undefined) throw new Error(`pi-ai does not list ${id} in ${file}`)
    return entry
  }
}

/** The entries by model id of one of pi-ai's provider files. */
export function piAiEntries(folder: string, file: string): Map<string, PiAiEntry> {
  const path = join(folder, 'dist/providers/data', `${file}.json`)
  const groups = z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .parse(JSON.parse(readFileSync(path, 'utf8')))
  const entries = Object.values(groups)
    .flatMap((group) => Object.values(group))
    .flatMap((value) => {
      const entry = entrySchema.safeParse(value)
      return entry.success ? [entry.data] : []
    })
  return new Map(entries.map((entry) => [entry.id, entry]))
}
