import type { VNode } from 'preact'
import { CodeBlock } from '../parts/code-block.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { exactDollars, perMillion } from '../parts/format-amount.ts'
import { Notice } from '../parts/notice.tsx'
import { Receipt } from '../parts/receipt.tsx'
import { Snippets } from '../parts/snippets.tsx'
import { at, facts } from '../service/facts.ts'
import {
  type ChatModel,
  type ImageModel,
  useChatModels,
  useImageModels,
} from '../service/models.ts'
import { useTitle } from './use-title.ts'

/** One model: what it is, what it costs, and how to call it. */
export function ModelPage({ id = '' }: { readonly id?: string }): VNode {
  useTitle(id)
  const chat = useChatModels()
  const images = useImageModels()
  const chatModel = chat?.status === 'ok' && chat.body.models.find((model) => model.id === id)
  if (chatModel) return <ChatModelDetails {...chatModel} />
  const imageModel = images?.status === 'ok' && images.body.models.find((model) => model.id === id)
  if (imageModel) return <ImageModelDetails model={imageModel} priceNote={images.body.note} />
  for (const reply of [chat, images]) {
    if (reply?.status === 'refused') return <Notice>{reply.message}</Notice>
  }
  if (chat === undefined || images === undefined) return <p class="waiting">Loading the catalog…</p>
  return (
    <section class="narrow">
      <h1>No such model</h1>
      <p>
        <code>{id}</code> is not sold here. <a href={at('models')}>All models</a>
      </p>
    </section>
  )
}

type HeadProps = Pick<ChatModel, 'id' | 'name' | 'description'>

function Head({ id, name, description }: HeadProps): VNode {
  return (
    <>
      <p class="crumbs">
        <a href={at('models')}>Models</a>
      </p>
      <h1>{name}</h1>
      <p class="model-id">
        <code>{id}</code> <CopyButton text={id} label="the id of the model" />
      </p>
      <p class="lead">{description}</p>
    </>
  )
}

function ChatModelDetails(model: ChatModel): VNode {
  const { id, context_length, pricing } = model
  const query = `?model=${encodeURIComponent(id)}`
  return (
    <section>
      <Head {...model} />
      <div class="columns">
        <Receipt
          lines={[
            {
              label: 'Input',
              note: 'a million tokens',
              amount: perMillion(pricing.input_per_1k_tokens),
            },
            {
              label: 'Output',
              note: 'a million tokens, reasoning included',
              amount: perMillion(pricing.output_per_1k_tokens),
            },
            { label: 'Context', note: 'tokens', amount: context_length.toLocaleString('en') },
          ]}
        />
        <p class="actions">
          {facts.sells && (
            <a class="button" href={at(`playground${query}`)}>
              Try it
            </a>
          )}
          <a class="button quiet" href={at(`calculator${query}`)}>
            Calculate a price
          </a>
        </p>
      </div>
      {facts.sells && <h2>Call it</h2>}
      {facts.sells && <Snippets url={facts.publicUrl} model={id} />}
    </section>
  )
}

type ImageModelProps = { readonly model: ImageModel; readonly priceNote: string | undefined }

function ImageModelDetails({ model, priceNote }: ImageModelProps): VNode {
  const { id, architecture, category, defaultSteps, pricing } = model
  const body = JSON.stringify({ model: id, prompt: 'A brass fare box on a tram' })
  const command = `curl -s ${facts.publicUrl}/v1/images/${facts.sells ? 'generate' : 'estimate'} \\\n  -H 'content-type: application/json' \\\n  -d '${body}'`
  return (
    <section>
      <Head {...model} />
      <div class="columns">
        <Receipt
          lines={[
            ...Object.entries(pricing).map(([size, price]) => ({
              label: size.replace('x', '×'),
              note: 'one image',
              amount: exactDollars(price.slice(1)),
            })),
            { label: 'Architecture', amount: architecture },
            { label: 'Category', amount: category },
            defaultSteps === undefined
              ? { label: 'Steps', amount: 'fixed' }
              : { label: 'Steps', note: 'unless you choose another number', amount: defaultSteps },
          ]}
        />
        {facts.sells && (
          <p class="actions">
            <a class="button" href={at(`playground?kind=images&model=${encodeURIComponent(id)}`)}>
              Try it
            </a>
          </p>
        )}
      </div>
      {priceNote !== undefined && <p class="fine">{priceNote}</p>}
      <h2>See its price</h2>
      <CodeBlock text={command} label="the command" />
    </section>
  )
}
