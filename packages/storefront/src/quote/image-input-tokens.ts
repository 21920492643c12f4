import type { ChatModel } from '@farebox/catalogs'

/** The `detail` of an image part; absent means `auto`. */
type ImageDetail = 'auto' | 'low' | 'high' | null | undefined

/** The most tokens of an image if the client fixes the detail, and if the model chooses it. */
type ImageBound = { readonly fixed: number; readonly automatic: number }

/**
 * Images are never fetched here, so their size is unknown: each bound is that of the largest image.
 *
 * - OpenAI up to GPT-5.4 (images and vision guide): tiles of 512 pixels, 8 at most, 85 + 8 × 170 =
 *   1,445; patches of 32 pixels, 1,536 at most times 2.46, or 2,500 times the 1.2 that users
 *   measure for the larger models
 * - gpt-4o-mini counts 2,833 + 8 × 5,667
 * - GPT-5.5 takes `auto` for the original size, up to 10,000 patches; later models up to the 30,000
 *   beyond which an image is refused
 * - Anthropic (vision guide): 4,784 at high resolution, 1,568 for older models
 * - Google: 258 for each of 16 tiles of 768 pixels for Gemini 2; 1,120 for Gemini 3 at the media
 *   resolution of the default
 * - Mistral: patches of 16 pixels and a break for each row, after scaling to 1024 × 1024
 * - Others: Qwen stops at 16,384; patches of 28 pixels over 4096 × 4096 make 146 × 146 = 21,316
 */
const bounds: readonly (readonly [ids: RegExp, bound: ImageBound])[] = [
  [/^openai\/gpt-4o-mini/, always(48_169)],
  [/^openai\/(o\d|gpt-4|gpt-5(\.[1-4])?(-|$))/, always(3_779)],
  [/^openai\/gpt-5\.5/, { fixed: 3_000, automatic: 12_000 }],
  [/^openai\//, { fixed: 3_000, automatic: 36_000 }],
  [/^anthropic\//, always(4_784)],
  [/^google\//, always(4_128)],
  [/^mistralai\//, always(4_160)],
]
const boundOfOthers = always(21_316)

/** The most input tokens that one image part can be billed as with a model. */
export function imageInputTokens({ id }: Pick<ChatModel, 'id'>, detail: ImageDetail): number {
  const [, bound] = bounds.find(([ids]) => ids.test(id)) ?? ['', boundOfOthers]
  return detail === 'low' || detail === 'high' ? bound.fixed : bound.automatic
}

function always(tokens: number): ImageBound {
  return { fixed: tokens, automatic: tokens }
}
