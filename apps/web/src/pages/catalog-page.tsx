import type { VNode } from 'preact'
import { useLocation } from 'preact-iso'
import { ChatCatalog } from '../catalog/chat-catalog.tsx'
import { ImageCatalog } from '../catalog/image-catalog.tsx'
import { at } from '../service/facts.ts'
import { useTitle } from './use-title.ts'

export function CatalogPage(): VNode {
  useTitle('Models and prices')
  const { query } = useLocation()
  const images = query['kind'] === 'images'
  return (
    <section>
      <h1>Models and prices</h1>
      <nav class="tabs" aria-label="Kinds of models">
        <a href={at('models')} aria-current={images ? undefined : 'page'}>
          Chat
        </a>
        <a href={`${at('models')}?kind=images`} aria-current={images ? 'page' : undefined}>
          Images
        </a>
      </nav>
      {images ? <ImageCatalog /> : <ChatCatalog />}
    </section>
  )
}
