import { type ImageDetail, type ImageRule, scaledBy, squares } from './image-rule.ts'
import type { ImageSize } from './image-size.ts'

/**
 * OpenAI, "Images and vision", tiles: scaled down to 2048 × 2048, then to a shorter side of 768;
 * `base` tokens and `tile` for each tile of 512 pixels, and `base` alone for low detail.
 */
export function tileRule(base: number, tile: number): ImageRule {
  const tokens = (size: ImageSize, detail: ImageDetail): number => {
    if (detail === 'low') return base
    const { width, height } = size
    const first = scaledBy(size, 2048 / width, 2048 / height)
    return base + tile * squares(scaledBy(first, 768 / Math.min(first.width, first.height)), 512)
  }
  return { tokens, atMost: tokens, most: (detail) => base + (detail === 'low' ? 0 : 8 * tile) }
}

/** Patches of a `patchRule`: by detail at most so many, and tokens of each, likely and at most. */
export type PatchBudget = {
  readonly fixed: number
  readonly automatic: number
  readonly likely: number
  readonly atMost: number
}

/** The budget of `original`, which OpenAI's Codex counts with. */
const originalPatches = 10_000

/**
 * The same guide, patches: 32 pixels square, scaled down to a budget of patches, times a factor by
 * model. Low detail is bounded like high detail.
 */
export function patchRule({ fixed, automatic, likely, atMost }: PatchBudget): ImageRule {
  const budgetOf = (detail: ImageDetail): number => {
    if (detail === 'original') return Math.max(automatic, originalPatches)
    return detail === 'low' || detail === 'high' ? fixed : automatic
  }
  const patches = (size: ImageSize, detail: ImageDetail): number =>
    Math.min(squares(size, 32), budgetOf(detail))
  return {
    tokens: (size, detail) =>
      Math.ceil(likely * Math.min(patches(size, detail), detail === 'low' ? 256 : 30_000)),
    atMost: (size, detail) => Math.ceil(atMost * patches(size, detail)),
    most: (detail) => Math.ceil(atMost * budgetOf(detail)),
  }
}

/** For a model that may count tiles or patches. */
export function eitherRule(first: ImageRule, second: ImageRule): ImageRule {
  return {
    tokens: second.tokens,
    atMost: (size, detail) => Math.max(first.atMost(size, detail), second.atMost(size, detail)),
    most: (detail) => Math.max(first.most(detail), second.most(detail)),
  }
}
