import type { ComponentChildren, VNode } from 'preact'
import { at } from '../service/facts.ts'
import { NothingFound } from './nothing-found.tsx'
import type { Query } from './use-query.ts'

export type Column<Model> = {
  readonly key: string
  readonly title: string
  readonly show: (model: Model) => ComponentChildren
  /** What the column is sorted by; prices that are missing come last. */
  readonly order: (model: Model) => number | string
  readonly wideOnly?: true
}

type Named = { readonly id: string; readonly name: string }

type CatalogTableProps<Model> = {
  readonly kind: 'chat' | 'images'
  readonly caption: string
  readonly models: readonly Model[]
  readonly columns: readonly Column<Model>[]
  readonly query: Query
}

/** Models in the order of the catalog, as a table that its head sorts, upwards and then downwards. */
export function CatalogTable<Model extends Named>(props: CatalogTableProps<Model>): VNode {
  const { kind, caption, models, columns, query } = props
  if (models.length === 0) return <NothingFound search={query.get('q')} kind={kind} />
  const sort = query.get('sort')
  const key = sort.replace(/^-/, '')
  const column = [nameColumn, ...columns].find((candidate) => candidate.key === key)
  const rows = column === undefined ? models : sorted(models, column, sort.startsWith('-') ? -1 : 1)
  return (
    <div class="scroll">
      <table class="catalog">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            <HeadCell column={nameColumn} query={query} />
            {columns.map((each) => (
              <HeadCell column={each} query={query} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((model) => (
            <tr key={model.id}>
              <th scope="row">
                <a href={at(`models/${model.id}`)}>{model.name}</a>
                <code>{model.id}</code>
              </th>
              {columns.map((each) => (
                <td class={each.wideOnly && 'wide'}>{each.show(model)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const nameColumn: Column<Named> = {
  key: 'name',
  title: 'Model',
  show: ({ name }) => name,
  order: ({ name }) => name.toLowerCase(),
}

type HeadCellProps = {
  readonly column: Pick<Column<never>, 'key' | 'title' | 'wideOnly'>
  readonly query: Query
}

function HeadCell({ column: { key, title, wideOnly }, query }: HeadCellProps): VNode {
  const sort = query.get('sort')
  const isUp = sort === key
  return (
    <th scope="col" class={wideOnly && 'wide'} aria-sort={directionOf(sort, key)}>
      <button
        type="button"
        onClick={() => {
          query.set('sort', isUp ? `-${key}` : key)
        }}
      >
        {title}
      </button>
    </th>
  )
}

function directionOf(sort: string, key: string): 'ascending' | 'descending' | undefined {
  if (sort === key) return 'ascending'
  return sort === `-${key}` ? 'descending' : undefined
}

function sorted<Model>(
  models: readonly Model[],
  { order }: Column<Model>,
  sign: 1 | -1,
): readonly Model[] {
  return models.toSorted((a, b) => {
    const [left, right] = [order(a), order(b)]
    if (left === right) return 0
    return left < right ? -sign : sign
  })
}
