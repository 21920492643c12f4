import type { ChatModelList, ImageModelList } from '@farebox/api'
import type { ImageModel } from '@farebox/catalogs'
import { blendedRate, listedImagePrice, listedRate } from '@farebox/pricing'
import type { Storefront } from '../storefront.ts'

/** The chat models that are sold here, at the rates of the base tier with the markup. */
export function listChatModels({ catalog, isSold, terms }: Storefront): ChatModelList {
  const models = catalog()
    .chat.filter(isSold)
    .map((model) => ({
      id: model.id,
      name: model.name,
      description: model.description,
      context_length: model.contextLength,
      pricing: {
        input_per_1k_tokens: Number(listedRate(model.price.rates.input, terms.markupBps)),
        output_per_1k_tokens: Number(listedRate(model.price.rates.output, terms.markupBps)),
        blended_per_1k_tokens: Number(blendedRate(model.price.rates, terms.markupBps)),
      },
    }))
  return { total: models.length, models }
}

/** The image models that are sold here, with their price at common sizes. */
export function listImageModels({ catalog, isSold, terms }: Storefront): ImageModelList {
  const models = catalog()
    .images.filter(isSold)
    .map((model) => ({
      id: model.id,
      name: model.name,
      description: model.description,
      architecture: model.architecture,
      category: model.category,
      supportsSteps: model.steps !== undefined,
      pricing: Object.fromEntries(
        commonSizes(model).map(([width, height]) => [
          `${width}x${height}`,
          `$${listedImagePrice(model.price, sizeOf(model, width, height), terms.markupBps)}`,
        ]),
      ),
    }))
  return { total: models.length, models }
}

const squares = [512, 1024, 2048]

function commonSizes({ sizes }: ImageModel): readonly (readonly [number, number])[] {
  if (sizes.kind === 'free') {
    return squares
      .filter((side) => side >= sizes.minWidth && side >= sizes.minHeight)
      .map((side) => [side, side])
  }
  const listedSquares = sizes.sizes.filter(([w, h]) => w === h && squares.includes(w))
  return listedSquares.length > 0 ? listedSquares : sizes.sizes
}

function sizeOf(
  { steps }: ImageModel,
  width: number,
  height: number,
): { width: number; height: number; steps?: number } {
  return { width, height, ...(steps && { steps: steps.default }) }
}
