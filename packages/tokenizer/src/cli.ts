#!/usr/bin/env node
import { readFileSync, writeFileSync } from 'node:fs'
import { fitFactors } from './calibrate/fit-factors.ts'
import { readRecords } from './calibrate/read-records.ts'
import { convertHuggingFace } from './convert/convert-hugging-face.ts'
import { convertRanks } from './convert/convert-ranks.ts'
import type { HuggingFaceTokenizer } from './convert/hugging-face-tokenizer.ts'
import { type CounterName, counterNames } from './counter/counter-name.ts'
import { counterSpecs, estimatingCounters } from './counter/counter-specs.ts'
import { type EncodingName, encodingNames } from './engine/encoding-name.ts'
import { buildVocabulary } from './engine/table/build-vocabulary.ts'
import { writeTableFile } from './engine/table/table-file.ts'
import { tokenizerOf } from './vocabulary/create-tokenizer.ts'
import { createVocabularyStore } from './vocabulary/vocabulary-store.ts'

const usage = `farebox-tokenizer convert <vocabulary> <file> <output.bin>
  Creates a table file from your own vocabulary: a tokenizer.json from Hugging Face,
  or ranks in the format of Llama 3's tokenizer.model. Vocabularies: ${encodingNames.join(', ')}

farebox-tokenizer calibrate <counter> <records.jsonl>
  Fits the factors of an estimating counter. Each line is a request and the tokens billed for it:
  {"messages": [...], "tools": [...], "inputTokens": 123}. Counters: ${estimatingCounters.join(', ')}
`

const [command, ...parameters] = process.argv.slice(2)
try {
  process.exitCode = run(command, parameters)
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error)
  process.stderr.write(`${parameters[1]}: ${reason}\n`)
  process.exitCode = 1
}

function run(name: string | undefined, [first = '', second = '', third = '']: string[]): number {
  const encoding = encodingNames.find((known) => known === first)
  const counter = counterNames.find((known) => known === first)
  if (name === 'convert' && encoding !== undefined && third !== '') {
    return convert(encoding, second, third)
  }
  if (name === 'calibrate' && counter !== undefined && second !== '') {
    return calibrate(counter, second)
  }
  const isHelp = name === '--help'
  process[isHelp ? 'stdout' : 'stderr'].write(usage)
  return isHelp ? 0 : 2
}

function convert(encoding: EncodingName, input: string, output: string): number {
  const text = readFileSync(input, 'utf8')
  const source = text.startsWith('{')
    ? convertHuggingFace(JSON.parse(text) as HuggingFaceTokenizer, encoding)
    : convertRanks(text, encoding)
  const built = buildVocabulary(source)
  writeFileSync(output, writeTableFile(built))
  process.stdout.write(`${output}: ${built.header.firstPart} tokens\n`)
  return 0
}

function calibrate(counter: CounterName, input: string): number {
  const { encoding, factors } = counterSpecs[counter]
  if (factors === null) {
    process.stderr.write(
      `${counter} counts with the model's own vocabulary and has no factors to fit\n`,
    )
    return 2
  }
  const tokenizer = tokenizerOf(createVocabularyStore({}).load(encoding))
  const records = readRecords(readFileSync(input, 'utf8'), counter, tokenizer)
  const fitted = { counter, records: records.length, ...fitFactors(records, factors) }
  process.stdout.write(`${JSON.stringify(fitted, null, 2)}\n`)
  return 0
}
