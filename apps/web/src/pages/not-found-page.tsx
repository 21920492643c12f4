import type { VNode } from 'preact'
import { at } from '../service/facts.ts'
import { useTitle } from './use-title.ts'

export function NotFoundPage(): VNode {
  useTitle('Not found')
  return (
    <section class="narrow">
      <h1>There is no such page</h1>
      <p>
        Go to the <a href={at('')}>home page</a>, or see <a href={at('models')}>all models</a>.
      </p>
    </section>
  )
}
