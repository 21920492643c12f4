import type { TokenCount } from '../counter/token-count.ts'
import { requireInteger, requireText } from '../vocabulary/require-argument.ts'
import { type ImageDetail, type ImageRule, requireDetail } from './image-rule.ts'
import type { ImageSize } from './image-size.ts'
import { eitherRule, patchRule, tileRule } from './openai-image-rules.ts'
import {
  claudeRule,
  fixedRule,
  gemini2Rule,
  gemini3Rule,
  grokRule,
  llama4Rule,
  mistralRule,
  qwenRule,
  unknownRule,
} from './other-image-rules.ts'

/** An image to count: without a size, its bound is that of the model's largest image. */
export type CountedImage = {
  readonly size?: ImageSize | undefined
  readonly detail?: ImageDetail
}

const smallPatches = (likely: number, atMost = likely): ImageRule =>
  patchRule({ fixed: 1_536, automatic: 1_536, likely, atMost })

/** Users measure 1.2 tokens a patch for the larger models; the guide says one. */
const largePatches = (automatic: number): ImageRule =>
  patchRule({ fixed: 2_500, automatic, likely: 1.2, atMost: 1.2 })

/** The first match wins. */
const rules: readonly (readonly [ids: RegExp, rule: ImageRule])[] = [
  [/gpt-4o-mini/, tileRule(2_833, 5_667)],
  [/gpt-4\.1-mini/, smallPatches(1.62)],
  [/gpt-5-mini/, smallPatches(1.2, 1.62)], // 1.2 in recorded bills
  [/gpt-(4\.1|5)-nano/, smallPatches(2.46)],
  [/(^|[/:])o4-mini/, smallPatches(1.72)],
  [/gpt-4/, tileRule(85, 170)],
  [/(^|[/:])o\d/, tileRule(75, 150)],
  [/gpt-5(-|$)/, eitherRule(largePatches(2_500), tileRule(70, 140))],
  [/gpt-5\.[1-4].*-(mini|nano)/, eitherRule(tileRule(70, 140), smallPatches(1.62, 2.46))],
  [/gpt-5\.[1-4]/, eitherRule(tileRule(70, 140), largePatches(2_500))],
  [/gpt-5\.5/, largePatches(10_000)],
  [/gpt-(?!oss)|chatgpt|codex/, largePatches(30_000)],
  [
    /claude-(opus-4[.-][7-9]|(opus|sonnet|fable)-[5-9]|mythos|haiku-[5-9]|(4[.-][7-9]|[5-9](\.\d)?)-[a-z])/,
    claudeRule(2_576, 4_784),
  ],
  [/claude/, claudeRule(1_568, 1_600)],
  [/gemma/, fixedRule(258, 4_386)],
  [/gemini-(1|2)[.-]/, gemini2Rule],
  [/gemini-\d/, gemini3Rule],
  [/gemini/, gemini2Rule],
  [/llama-?4/, llama4Rule],
  [/pixtral/, mistralRule(1_024, 16)],
  [/mistral|magistral|ministral|devstral/, mistralRule(1_540, 28)],
  [/qwen-?(2|2\.5)-?vl/, qwenRule(28)],
  [/qwen|qvq/, qwenRule(32)],
  [/grok/, grokRule],
]

/** An image whose size is unknown is likely to be of this one. */
const usual: ImageSize = { width: 1024, height: 1024 }

/**
 * Counts the input tokens of an image by the rule that the model's maker publishes. The
 * `upperBound` of an image of unknown size is that of the model's largest image. `model` is an id
 * with or without its maker, such as `openai/gpt-4o`; an unknown model has the bound of the open
 * vision models. Throws a TypeError for a size that is not whole pixels, and for an unknown detail.
 */
export function countImageTokens(model: string, { size, detail }: CountedImage = {}): TokenCount {
  const id = requireText(model, 'model').toLowerCase()
  if (size !== undefined) requireSize(size)
  requireDetail('detail', detail)
  const [, rule] = rules.find(([ids]) => ids.test(id)) ?? ['', unknownRule]
  const upperBound = size === undefined ? rule.most(detail) : upperBoundOf(rule, size, detail)
  return {
    tokens: Math.min(rule.tokens(size ?? usual, detail), upperBound),
    method: 'estimate',
    upperBound,
  }
}

/** A provider may turn the image as its metadata say, which the size in its header leaves out. */
function upperBoundOf(rule: ImageRule, size: ImageSize, detail: ImageDetail): number {
  const turned = { width: size.height, height: size.width }
  return Math.max(rule.atMost(size, detail), rule.atMost(turned, detail))
}

function requireSize(size: Partial<ImageSize> | null): void {
  requireInteger('size.width', size?.width, { from: 1, below: Number.POSITIVE_INFINITY })
  requireInteger('size.height', size?.height, { from: 1, below: Number.POSITIVE_INFINITY })
}
