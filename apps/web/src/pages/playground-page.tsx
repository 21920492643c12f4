import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { ModelField } from '../parts/model-field.tsx'
import { PromptField } from '../parts/prompt-field.tsx'
import { keptSale } from '../sale/kept-sale.ts'
import { chatOrder, imageOrder } from '../sale/order.ts'
import { pictureSizes } from '../sale/picture-sizes.ts'
import { SaleForm } from '../sale/sale-form.tsx'
import { useSale } from '../sale/use-sale.ts'
import { at, facts } from '../service/facts.ts'
import { useChatModels, useImageModels } from '../service/models.ts'
import { MaxTokensField } from './calculator-page.tsx'
import { useTitle } from './use-title.ts'

export function PlaygroundPage(): VNode {
  useTitle('Playground')
  const { query } = useLocation()
  const images = query['kind'] === 'images'
  return (
    <section>
      <h1>Playground</h1>
      <p class="lead">Buy one answer, and watch its payment until the rest is refunded.</p>
      <nav class="tabs" aria-label="What to buy">
        <a href={at('playground')} aria-current={images ? undefined : 'page'}>
          Chat
        </a>
        <a href={`${at('playground')}?kind=images`} aria-current={images ? 'page' : undefined}>
          Images
        </a>
      </nav>
      {images ? <ImagePlayground key="images" /> : <ChatPlayground key="chat" />}
    </section>
  )
}

function ChatPlayground(): VNode {
  const { query } = useLocation()
  const models = useChatModels()
  const [kept] = useState(() => keptSale('chat'))
  const asked = kept?.order.question
  const [model, setModel] = useState(asked?.model ?? query['model'] ?? facts.defaultChatModel)
  const [prompt, setPrompt] = useState(asked?.prompt ?? 'What is a fare box?')
  const [maxTokens, setMaxTokens] = useState(asked?.maxTokens ?? 2000)
  const controls = useSale('chat', kept)
  const changing = resetting(controls.reset)
  return (
    <SaleForm controls={controls} order={chatOrder({ model, prompt, maxTokens })}>
      <ModelField
        value={model}
        models={models?.status === 'ok' ? models.body.models : []}
        onChange={changing(setModel)}
      />
      <PromptField value={prompt} onChange={changing(setPrompt)} />
      <MaxTokensField value={maxTokens} onChange={changing(setMaxTokens)} />
    </SaleForm>
  )
}

function ImagePlayground(): VNode {
  const { query } = useLocation()
  const reply = useImageModels()
  const models = reply?.status === 'ok' ? reply.body.models : []
  const [kept] = useState(() => keptSale('image'))
  const asked = kept?.order.question
  const [model, setModel] = useState(asked?.model ?? query['model'] ?? facts.defaultImageModel)
  const [prompt, setPrompt] = useState(asked?.prompt ?? 'A brass fare box on a tram')
  const [chosen, setChosen] = useState(asked?.size ?? '')
  const sizes = pictureSizes(models, model)
  const size = sizes.includes(chosen) ? chosen : (sizes[0] ?? '')
  const controls = useSale('image', kept)
  const changing = resetting(controls.reset)
  const change = changing(setChosen)
  return (
    <SaleForm controls={controls} order={imageOrder({ model, prompt, size })}>
      <ModelField value={model} models={models} onChange={changing(setModel)} />
      <PromptField value={prompt} onChange={changing(setPrompt)} />
      <label class="field">
        <span>Size</span>
        <select value={size} onChange={(event) => change(event.currentTarget.value)}>
          {sizes.map((each) => (
            <option value={each}>{each.replace('x', '×')}</option>
          ))}
        </select>
      </label>
    </SaleForm>
  )
}

type Setter = <Value>(set: (value: Value) => void) => (value: Value) => void

/** Another question has another price. */
function resetting(reset: () => void): Setter {
  return (set) => (value) => {
    set(value)
    reset()
  }
}
