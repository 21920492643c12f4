import type { VNode } from 'preact'
import { at } from '../service/facts.ts'

type NothingFoundProps = {
  readonly search: string
  /** The models that were searched. */
  readonly kind: 'chat' | 'images'
}

/** Replaces an empty table, with a link to the models of the other kind. */
export function NothingFound({ search, kind }: NothingFoundProps): VNode {
  const other = new URLSearchParams({
    ...(kind === 'chat' && { kind: 'images' }),
    ...(search !== '' && { q: search }),
  }).toString()
  return (
    <p>
      {kind === 'chat' ? 'No chat model matches.' : 'No image model matches.'}{' '}
      <a href={at(`models${other === '' ? '' : `?${other}`}`)}>
        {kind === 'chat' ? 'Search the image models' : 'Search the chat models'}
      </a>
      , or <a href={at(kind === 'chat' ? 'models' : 'models?kind=images')}>show all</a>.
    </p>
  )
}
