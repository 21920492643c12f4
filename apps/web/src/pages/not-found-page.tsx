import type { VNode } from 'preact'
import { at } from '../service/facts.ts'
import { useTitle } from './use-title.ts'

export function NotFoundPage(): VNode {
  useTitle('Not found')
  return (
    <section class="narrow">
      <h1>There is no such page</h1>
      <p>
        The way back: <a href={at('')}>home</a>, or <a href={at('models')}>all models</a>.
      </p>
    </section>
  )
}
