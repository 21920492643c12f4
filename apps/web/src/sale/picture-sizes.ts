import type { ImageModel } from '../service/models.ts'

/** The sizes that the playground offers of a model: those that its prices are listed for. */
export function pictureSizes(
  models: readonly Pick<ImageModel, 'id' | 'pricing'>[],
  id: string,
): readonly string[] {
  const model = models.find((candidate) => candidate.id === id)
  return model === undefined ? ['1024x1024'] : Object.keys(model.pricing)
}
