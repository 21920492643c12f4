import type { VNode } from 'preact'
import { perMillion, tokenCount } from '../parts/format-amount.ts'
import { Notice } from '../parts/notice.tsx'
import { type ChatModel, useChatModels } from '../service/models.ts'
import { CatalogTable, type Column } from './catalog-table.tsx'
import { ChoiceField, choicesOf, SearchField } from './filters.tsx'
import { matches } from './matches.ts'
import { useQuery } from './use-query.ts'

const columns: readonly Column<ChatModel>[] = [
  {
    key: 'context',
    title: 'Context',
    show: ({ context_length }) => tokenCount(context_length),
    order: ({ context_length }) => context_length,
    wideOnly: true,
  },
  {
    key: 'input',
    title: 'Input',
    show: ({ pricing }) => perMillion(pricing.input_per_1k_tokens),
    order: ({ pricing }) => pricing.input_per_1k_tokens,
  },
  {
    key: 'output',
    title: 'Output',
    show: ({ pricing }) => perMillion(pricing.output_per_1k_tokens),
    order: ({ pricing }) => pricing.output_per_1k_tokens,
  },
]

const contexts = [
  { value: '', name: 'Any' },
  { value: '100000', name: '100K or more' },
  { value: '200000', name: '200K or more' },
  { value: '1000000', name: '1M or more' },
]

/** The chat models: searched, filtered by maker and context, sorted by price. */
export function ChatCatalog(): VNode {
  const reply = useChatModels()
  const query = useQuery()
  if (reply === undefined) return <p class="waiting">Loading the catalog…</p>
  if (reply.status === 'refused') return <Notice>{reply.message}</Notice>
  const all = reply.body.models
  const [search, maker, context] = [query.get('q'), query.get('maker'), query.get('context')]
  const shown = all.filter(
    ({ id, name, description, context_length }) =>
      matches(search, [id, name, description]) &&
      (maker === '' || makerOf(id) === maker) &&
      context_length >= Number(context),
  )
  const makers = choicesOf(
    'All',
    all.map(({ id }) => makerOf(id)),
  )
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <SearchField query={query} placeholder="Name, maker, images, reasons…" />
        <ChoiceField query={query} name="maker" label="Maker" choices={makers} />
        <ChoiceField query={query} name="context" label="Context" choices={contexts} />
      </form>
      <p class="count" role="status">
        {shown.length} of {all.length} models. Prices in USD per million tokens.
      </p>
      <CatalogTable
        kind="chat"
        caption="Chat models with their prices"
        models={shown}
        columns={columns}
        query={query}
      />
    </>
  )
}

function makerOf(id: string): string {
  return id.split('/')[0] ?? id
}
