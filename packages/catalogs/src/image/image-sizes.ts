import { listedImagePrice } from '@farebox/pricing'
import type { ImageModel, ImageSizes } from './image-model.ts'

const smallest = 128
const largest = 2048
const step = 64

/** Whether a model supports this size: 128 to 2048, divisible by 64, and one of its sizes. */
export function allowsSize(sizes: ImageSizes, width: number, height: number): boolean {
  return isGridEdge(width) && isGridEdge(height) && isOwnSize(sizes, width, height)
}

function isOwnSize(sizes: ImageSizes, width: number, height: number): boolean {
  switch (sizes.kind) {
    case 'listed':
      return sizes.sizes.some(([w, h]) => w === width && h === height)
    case 'free':
      return (
        width >= sizes.minWidth &&
        height >= sizes.minHeight &&
        width <= (sizes.maxWidth ?? largest) &&
        height <= (sizes.maxHeight ?? largest)
      )
  }
}

function isGridEdge(pixels: number): boolean {
  return pixels >= smallest && pixels <= largest && pixels % step === 0
}

/** Every size that a model supports, by width, then height. */
export function legalSizes(
  sizes: ImageSizes,
): readonly (readonly [width: number, height: number])[] {
  const edges = Array.from({ length: largest / step - 1 }, (_, index) => smallest + index * step)
  return edges.flatMap((width) =>
    edges
      .filter((height) => allowsSize(sizes, width, height))
      .map((height): readonly [number, number] => [width, height]),
  )
}

/** The allowed sizes as text, for error messages. */
export function describeSizes(sizes: ImageSizes): string {
  if (sizes.kind === 'listed') return sizes.sizes.map(([w, h]) => `${w}x${h}`).join(', ')
  const { minWidth, minHeight, maxWidth = largest, maxHeight = largest } = sizes
  return `${minWidth}x${minHeight} to ${maxWidth}x${maxHeight} in multiples of ${step}`
}

const commonEdges = [512, 1024, 2048]

/**
 * The price of an image at 512, 1024 and 2048 square, if the model supports them: the `pricing` of
 * `GET /v1/images/models`, at the model's default steps, including markup.
 */
export function listedImagePrices(
  model: ImageModel,
  markupBps: number,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    commonEdges
      .filter((edge) => allowsSize(model.sizes, edge, edge))
      .map((edge) => {
        const image = {
          width: edge,
          height: edge,
          ...(model.steps && { steps: model.steps.default }),
        }
        return [`${edge}x${edge}`, `$${listedImagePrice(model.price, image, markupBps)}`]
      }),
  )
}
