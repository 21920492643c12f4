import type { Reply } from '../service/call-service.ts'
import type { ImageModel } from '../service/models.ts'

type Priced = { readonly models: readonly Pick<ImageModel, 'id' | 'pricing'>[] }

type Choice = {
  readonly model: string
  /** The size that was chosen for another model, or before. */
  readonly size: string | undefined
}

/**
 * The sizes that the playground offers of a model: those that its prices are listed for. They are unknown
 * while the list loads.
 */
export function pictureSizes(
  list: Reply<Priced> | undefined,
  { model: id, size = '1024x1024' }: Choice,
): readonly string[] {
  if (list === undefined) return []
  if (list.status === 'refused') return [size]
  const model = list.body.models.find((candidate) => candidate.id === id)
  return model === undefined ? ['1024x1024'] : Object.keys(model.pricing)
}
