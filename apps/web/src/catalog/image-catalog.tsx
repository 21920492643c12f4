import type { VNode } from 'preact'
import { exactDollars } from '../parts/format-amount.ts'
import { Notice } from '../parts/notice.tsx'
import { type ImageModel, useImageModels } from '../service/models.ts'
import { CatalogTable, type Column } from './catalog-table.tsx'
import { ChoiceField, choicesOf, SearchField } from './filters.tsx'
import { matches } from './matches.ts'
import { useQuery } from './use-query.ts'

/** The price of one image at a size; sizes that a model does not make come last. */
function sizeColumn(size: string): Column<ImageModel> {
  return {
    key: size,
    title: size.replace('x', '×'),
    show: ({ pricing }) => {
      const price = pricing[size]
      return price === undefined ? '–' : exactDollars(price.slice(1))
    },
    order: ({ pricing }) => Number(pricing[size]?.slice(1) ?? Number.POSITIVE_INFINITY),
  }
}

const columns: readonly Column<ImageModel>[] = [
  {
    key: 'category',
    title: 'Category',
    show: ({ category }) => category,
    order: ({ category }) => category,
    wideOnly: true,
  },
  { ...sizeColumn('512x512'), wideOnly: true },
  sizeColumn('1024x1024'),
  { ...sizeColumn('2048x2048'), wideOnly: true },
]

/** The image models: searched, filtered by category, sorted by price. */
export function ImageCatalog(): VNode {
  const reply = useImageModels()
  const query = useQuery()
  if (reply === undefined) return <p class="waiting">Loading the catalog…</p>
  if (reply.status === 'refused') return <Notice>{reply.message}</Notice>
  const all = reply.body.models
  const [search, category] = [query.get('q'), query.get('category')]
  const shown = all.filter(
    (model) =>
      matches(search, [model.id, model.name, model.description, model.architecture]) &&
      (category === '' || model.category === category),
  )
  const categories = choicesOf(
    'All',
    all.map((model) => model.category),
  )
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <SearchField query={query} placeholder="Name, maker, architecture…" />
        <ChoiceField query={query} name="category" label="Category" choices={categories} />
      </form>
      <p class="count" role="status">
        {shown.length} of {all.length} models. Prices in USD per image.
      </p>
      {reply.body.note !== undefined && <p class="fine">{reply.body.note}</p>}
      <CatalogTable
        kind="images"
        caption="Image models with their prices"
        models={shown}
        columns={columns}
        query={query}
      />
    </>
  )
}
