import type { ChatModel } from '@farebox/catalogs'

/**
 * The most input tokens that one image part can be billed as, by maker, at the highest detail.
 * Images are never fetched here, so their size is not known: the bound is that of the largest.
 *
 * - OpenAI: tiles of 512 pixels, at most 8 after scaling to 2048 × 768: 85 + 8 × 170 = 1,445; the
 *   models that count patches stop at 1,536 × 2.46 = 3,779; gpt-4o-mini counts
 *   2,833 + 8 × 5,667 = 48,169 (images and vision guide)
 * - Anthropic: width × height / 750 after scaling to 1.15 megapixels, about 1,600; newer models up
 *   to 4,784 (vision guide)
 * - Google: 258 a tile of 768 pixels, 1,120 at the default of Gemini 3, 2,240 at ultra high
 *   (media resolution guide); at most 16 tiles are counted for older ones
 */
const boundsByMaker: Readonly<Record<string, number>> = {
  openai: 3_779,
  anthropic: 4_784,
  google: 4_128,
}

const boundsByModel: Readonly<Record<string, number>> = { 'openai/gpt-4o-mini': 48_169 }

/** Open-weight models cut an image into patches of 28 pixels at least; 4096 × 4096 makes this. */
const boundOfOthers = 21_904

/** The most input tokens that one image part can cost with a model. */
export function imageInputTokens(model: ChatModel): number {
  return boundsByModel[model.id] ?? boundsByMaker[model.maker] ?? boundOfOthers
}
