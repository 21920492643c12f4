import { kindOf } from '../vocabulary/require-argument.ts'
import type { ImageSize } from './image-size.ts'

const details = ['auto', 'low', 'high', 'original'] as const

/** The `detail` of an image part; absent means `auto`. GPT-5.4 and later have `original`. */
export type ImageDetail = (typeof details)[number] | null | undefined

/** How a family bills an image. */
export type ImageRule = {
  /** The likely tokens of an image. */
  readonly tokens: (size: ImageSize, detail: ImageDetail) => number
  /** The most tokens of an image of this size. */
  readonly atMost: (size: ImageSize, detail: ImageDetail) => number
  /** The most tokens of an image of any size. */
  readonly most: (detail: ImageDetail) => number
}

/** The size scaled down, never up, by the smaller of the factors. */
export function scaledBy({ width, height }: ImageSize, ...factors: readonly number[]): ImageSize {
  const factor = Math.min(1, ...factors)
  return { width: width * factor, height: height * factor }
}

/** The squares of `side` pixels that cover an image. Scaled sides may be off by rounding. */
export function squares({ width, height }: ImageSize, side: number): number {
  return across(width, side) * across(height, side)
}

/** The squares of `side` pixels along a line. */
export function across(pixels: number, side: number): number {
  return Math.max(1, Math.ceil(pixels / side - 1e-9))
}

/** Callers without types may pass anything; a misspelled `original` would be bounded too low. */
export function requireDetail(name: string, detail: unknown): void {
  if (detail === undefined || detail === null || details.some((one) => one === detail)) return
  const found = typeof detail === 'string' ? JSON.stringify(detail) : kindOf(detail)
  throw new TypeError(`${name} must be auto, low, high or original, and is ${found}`)
}
