import type { EncodingName } from '../engine/encoding-name.ts'
import { type CounterName, counterNames } from './counter-name.ts'
import type { EstimateFactors } from './estimate-factors.ts'
import {
  claudeFraming,
  cohereFraming,
  deepseekFraming,
  genericFraming,
  glm5Framing,
  glmFraming,
  grok43Framing,
  grokFraming,
  harmonyFraming,
  kimiFraming,
  llama3Framing,
  llama4Framing,
  mistralFraming,
  mistralSmallFraming,
  openaiFraming,
  openaiReasoningFraming,
  qwenFraming,
} from './family-framings.ts'
import type { Framing } from './framing.ts'
import { gemini2Framing, geminiFraming, gemmaFraming } from './gemini-framings.ts'
import { claudeMargin, gemmaMargin, type TextMargin } from './text-margin.ts'
import type { NormalForm } from './upper-bound.ts'

/** How one family is counted. */
export type CounterSpec = {
  /** The shipped vocabulary to count with. */
  readonly encoding: EncodingName
  /** The model's own vocabulary, if it may not be shipped; it replaces `encoding` when provided. */
  readonly ownEncoding?: EncodingName
  /** `null`: `encoding` is the model's own vocabulary. */
  readonly factors: EstimateFactors | null
  readonly framing: Framing
  /** The framing with `ownEncoding`, if it differs. */
  readonly ownFraming?: Framing
  /** Normal forms that an estimated family's vocabulary uses or may use; the bound covers them. */
  readonly normalForms?: readonly NormalForm[]
  /** Bounds a text more closely than its bytes do; the bytes otherwise. */
  readonly margin?: TextMargin
}

/** For a family whose vocabulary is unknown. */
const eitherForm: readonly NormalForm[] = ['NFC', 'NFKC']

const flat = (factor: number): EstimateFactors => ({
  latin: factor,
  digit: factor,
  symbol: factor,
  cjk: factor,
  other: factor,
})

/** For a family whose vocabulary is not available: covers most of those that are. */
const unknown: EstimateFactors = {
  latin: 1.2,
  accented: 1.3,
  digit: 1.8,
  symbol: 1.4,
  cjk: 1.18,
  syllabic: 1.2,
  cyrillic: 1.35,
  semitic: 1.4,
  brahmic: 1.6,
  other: 1.4,
}

const claudeFactors: EstimateFactors = {
  latin: 1.12,
  accented: 5,
  digit: 0.9,
  symbol: 1.4,
  cjk: 1.28,
  syllabic: 1.8,
  cyrillic: 2.25,
  semitic: 3.8,
  brahmic: 5.05,
  other: 1.43,
}

const grokFactors: EstimateFactors = {
  latin: 1.16,
  accented: 1.15,
  digit: 2.4,
  symbol: 1.15,
  cjk: 1.15,
  syllabic: 1.15,
  cyrillic: 1.3,
  semitic: 1.3,
  brahmic: 1.8,
  other: 1.3,
}

const glmFactors: EstimateFactors = {
  latin: 1.02,
  accented: 1.1,
  digit: 0.8,
  symbol: 1.05,
  cjk: 1.05,
  syllabic: 1.3,
  cyrillic: 1.2,
  semitic: 1.25,
  brahmic: 1.2,
  other: 1.8,
}

/**
 * Google's SDK counts Gemini 2.5 and 3 with Gemma 3's vocabulary, and 3.1 and 3.5 with Gemma 4's:
 * github.com/googleapis/python-genai, google/genai/_local_tokenizer_loader.py.
 */
const gemini: CounterSpec = {
  encoding: 'o200k_base',
  factors: { latin: 1.04, digit: 1.6, symbol: 1.5, cjk: 1, other: 1.05 },
  framing: geminiFraming,
  margin: gemmaMargin,
}

const own = (encoding: EncodingName, framing: Framing): CounterSpec => ({
  encoding,
  factors: null,
  framing,
})

/** The counters by name. MEASUREMENTS.md lists the source of each factor. */
export const counterSpecs: Readonly<Record<CounterName, CounterSpec>> = {
  'openai-o200k': own('o200k_base', openaiFraming),
  'openai-cl100k': own('cl100k_base', openaiFraming),
  'openai-reasoning': own('o200k_base', openaiReasoningFraming),
  'gpt-oss': own('o200k_harmony', harmonyFraming),
  llama3: {
    encoding: 'cl100k_base',
    ownEncoding: 'llama3',
    factors: {
      latin: 1.01,
      accented: 0.55,
      digit: 1.01,
      symbol: 1,
      cjk: 0.87,
      syllabic: 0.7,
      cyrillic: 0.77,
      semitic: 0.5,
      brahmic: 0.5,
      other: 1,
    },
    framing: llama3Framing,
  },
  llama4: {
    encoding: 'o200k_base',
    factors: { latin: 1.05, digit: 1.05, symbol: 1.05, cjk: 1.05, other: 1.15 },
    framing: llama4Framing,
    normalForms: eitherForm,
  },
  mistral: own('tekken', mistralFraming),
  'mistral-small': own('tekken', mistralSmallFraming),
  'mistral-spm': {
    encoding: 'cl100k_base',
    factors: {
      latin: 1.26,
      accented: 1.55,
      digit: 1.1,
      symbol: 2.05,
      cjk: 1.08,
      syllabic: 1.22,
      cyrillic: 1.08,
      semitic: 1.33,
      brahmic: 1.14,
      other: 1.25,
    },
    framing: mistralFraming,
  },
  qwen: own('qwen', qwenFraming),
  'qwen-3.5': { encoding: 'qwen', factors: flat(1.02), framing: qwenFraming, normalForms: ['NFC'] },
  deepseek: own('deepseek', deepseekFraming),
  gemini: { ...gemini, ownEncoding: 'gemma3', ownFraming: gemmaFraming },
  'gemini-2.0': { ...gemini, framing: gemini2Framing },
  'gemini-3.1': gemini,
  claude: {
    encoding: 'o200k_base',
    factors: claudeFactors,
    framing: claudeFraming,
    normalForms: ['NFKC'],
    margin: claudeMargin,
  },
  'claude-4.7': {
    encoding: 'o200k_base',
    factors: { ...claudeFactors, latin: 1.45, accented: 6.5, digit: 1.2, symbol: 1.6 },
    framing: claudeFraming,
    normalForms: ['NFKC'],
    margin: claudeMargin,
  },
  grok: {
    encoding: 'o200k_base',
    factors: grokFactors,
    framing: grokFraming,
    normalForms: eitherForm,
  },
  'grok-4.3': {
    encoding: 'o200k_base',
    factors: grokFactors,
    framing: grok43Framing,
    normalForms: eitherForm,
  },
  cohere: {
    encoding: 'o200k_base',
    factors: {
      latin: 1.07,
      accented: 0.8,
      digit: 1.5,
      symbol: 1.55,
      cjk: 0.98,
      syllabic: 0.95,
      cyrillic: 1.03,
      semitic: 1.18,
      brahmic: 2.7,
      other: 1.13,
    },
    framing: cohereFraming,
    normalForms: ['NFC'],
  },
  kimi: {
    encoding: 'o200k_base',
    factors: {
      latin: 1.06,
      accented: 1.8,
      digit: 1.05,
      symbol: 1.06,
      cjk: 1.02,
      syllabic: 2.3,
      cyrillic: 1.4,
      semitic: 1.7,
      brahmic: 1.8,
      other: 1.15,
    },
    framing: kimiFraming,
    normalForms: eitherForm,
  },
  glm: {
    encoding: 'qwen',
    factors: glmFactors,
    framing: glmFraming,
    normalForms: eitherForm,
  },
  'glm-5': {
    encoding: 'qwen',
    factors: glmFactors,
    framing: glm5Framing,
    normalForms: eitherForm,
  },
  minimax: {
    encoding: 'o200k_base',
    factors: { latin: 1.06, digit: 1.05, symbol: 1.06, cjk: 1.05, other: 1.15 },
    framing: glmFraming,
    normalForms: eitherForm,
  },
  nova: {
    encoding: 'o200k_base',
    factors: unknown,
    framing: genericFraming,
    normalForms: eitherForm,
  },
  generic: {
    encoding: 'o200k_base',
    factors: unknown,
    framing: genericFraming,
    normalForms: eitherForm,
  },
}

/** The counters without their model's own vocabulary, whose factors can be calibrated. */
export const estimatingCounters: readonly CounterName[] = counterNames.filter(
  (name) => counterSpecs[name].factors !== null,
)

/** @throws TypeError for another name, which callers without types may pass. */
export function specOf(name: CounterName): CounterSpec {
  if (Object.hasOwn(counterSpecs, name)) return counterSpecs[name]
  throw new TypeError(`${name} is not a counter: use one of counterNames`)
}

/**
 * The factors of a counter on a vocabulary: `null` if the vocabulary is the model's own, `undefined`
 * if the counter does not use it.
 */
export function factorsOn(
  name: CounterName,
  encoding: EncodingName,
): CounterSpec['factors'] | undefined {
  const spec = specOf(name)
  if (encoding === spec.ownEncoding) return null
  return encoding === spec.encoding ? spec.factors : undefined
}
