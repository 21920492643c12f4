import { across, type ImageRule, scaledBy, squares } from './image-rule.ts'
import type { ImageSize } from './image-size.ts'

/**
 * Anthropic, "Vision": width × height / 750, and patches of 28 pixels in the newer edition, which the
 * recorded bills match. Images are scaled down to a long side and a number of tokens.
 */
export function claudeRule(side: number, most: number): ImageRule {
  const patches = (size: ImageSize): number => Math.min(most, squares(size, 28))
  return {
    tokens: (size) => patches(scaledBy(size, side / Math.max(size.width, size.height))),
    atMost: (size) => Math.min(most, Math.ceil(Math.max(patches(size), area(size) / 750))),
    most: () => most,
  }
}

/**
 * Google, "Image understanding", Gemini 2: 258 tokens up to 384 × 384 pixels; larger images are cut
 * into tiles of two thirds of the shorter side, 256 to 768 pixels, of 258 tokens each. The bound
 * adds an overview of the whole image, which a recorded bill has.
 */
export const gemini2Rule: ImageRule = {
  tokens: (size) => 258 * gemini2Tiles(size),
  atMost: (size) => 258 * Math.min(17, gemini2Tiles(size) + 1),
  most: () => 258 * 17,
}

function gemini2Tiles(size: ImageSize): number {
  if (size.width <= 384 && size.height <= 384) return 1
  const tile = Math.min(768, Math.max(256, Math.floor(Math.min(size.width, size.height) / 1.5)))
  return Math.min(16, squares(size, tile))
}

/** Google, "Media resolution": an image has 1,120 tokens at the default of Gemini 3. */
export const gemini3Rule: ImageRule = fixedRule(1_120, 1_120)

/**
 * Mistral's `mistral-common` (Apache-2.0), ImageEncoder: patches and a break for each row. Pixtral
 * scales to 1,024 pixels and has patches of 16; later models to 1,540 and join patches to squares
 * of 28.
 */
export function mistralRule(side: number, patch: number): ImageRule {
  const tokens = (size: ImageSize, square: number, longest: number): number => {
    const scaled = scaledBy(size, longest / Math.max(size.width, size.height))
    return (across(scaled.width, square) + 1) * across(scaled.height, square)
  }
  return {
    tokens: (size) => tokens(size, patch, side),
    atMost: (size) => Math.max(tokens(size, 16, 1024), tokens(size, 28, 1540)),
    most: () => 65 * 64,
  }
}

/**
 * Qwen's `qwen-vl-utils` (Apache-2.0), `smart_resize`: sides rounded to `square` pixels, at most
 * 16,384 squares. Hosts may scale small images up, to 256 squares at most.
 */
export function qwenRule(square: number): ImageRule {
  const most = 16_384
  const side = (pixels: number): number => Math.max(1, Math.round(pixels / square))
  return {
    tokens: ({ width, height }) => Math.min(most, side(width) * side(height)) + 2,
    atMost: (size) => Math.min(most, Math.max(256, squares(size, 28))) + 2,
    most: () => most + 2,
  }
}

/**
 * Llama 4's image processor: tiles of 336 pixels with 144 tokens and a separator each, 16 at most,
 * and an overview if there are several; the recorded bills match.
 */
export const llama4Rule: ImageRule = {
  tokens: (size) => llama4Tokens(Math.min(16, squares(size, 336))),
  atMost: (size) => 16 + llama4Tokens(Math.min(16, 2 * squares(size, 336))),
  most: () => 16 + llama4Tokens(16),
}

function llama4Tokens(tiles: number): number {
  return 145 * (tiles > 1 ? tiles + 1 : tiles) + 3
}

/** xAI, "Image understanding": tiles of 448 pixels and one more, 256 tokens each, less than 1,792. */
export const grokRule: ImageRule = {
  tokens: (size) => 256 * Math.min(7, squares(size, 448) + 1),
  atMost: (size) => 256 * Math.min(7, squares(size, 448) + 2),
  most: () => 256 * 7,
}

/**
 * No rule is published, or none is known: squares of 28 pixels, as most open models have, and no less
 * than the 13 tiles of 256 tokens to which some scale any image up.
 */
export const unknownRule: ImageRule = {
  tokens: (size) => Math.min(16_384, squares(size, 28)),
  atMost: (size) => Math.min(maxOfUnknown, Math.max(13 * 256, squares(size, 28) + size.height)),
  most: () => maxOfUnknown,
}

/** Squares of 28 pixels of 4,096 × 4,096. */
const maxOfUnknown = 146 * 146

/** For a model that has the same number of tokens for each image, at most `most`. */
export function fixedRule(tokens: number, most: number): ImageRule {
  return { tokens: () => tokens, atMost: () => most, most: () => most }
}

function area({ width, height }: ImageSize): number {
  return width * height
}
