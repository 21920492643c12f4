import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { MaxTokensField } from '../parts/max-tokens-field.tsx'
import { ModelField } from '../parts/model-field.tsx'
import { PromptField } from '../parts/prompt-field.tsx'
import { chatOrder, imageOrder } from '../sale/order.ts'
import { pictureSizes } from '../sale/picture-sizes.ts'
import { isUnderWay } from '../sale/sale.ts'
import { SaleForm } from '../sale/sale-form.tsx'
import { useShownSale } from '../sale/sales.tsx'
import type { SaleControls } from '../sale/use-sale.ts'
import { at, facts } from '../service/facts.ts'
import { useChatModels, useImageModels } from '../service/models.ts'
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
  const controls = useShownSale('chat')
  const asked = controls.asked?.question
  const [model, setModel] = useState(firstModel(controls, query) ?? facts.defaultChatModel)
  const [prompt, setPrompt] = useState(asked?.prompt ?? 'What is a fare box?')
  const [maxTokens, setMaxTokens] = useState<number | undefined>(asked?.maxTokens ?? 2000)
  const changing = resetting(controls.reset)
  return (
    <SaleForm controls={controls} order={chatOrder({ model, prompt, maxTokens })}>
      <ModelField value={model} list={models} onChange={changing(setModel)} />
      <PromptField value={prompt} onChange={changing(setPrompt)} />
      <MaxTokensField value={maxTokens} onChange={changing(setMaxTokens)} />
    </SaleForm>
  )
}

function ImagePlayground(): VNode {
  const { query } = useLocation()
  const models = useImageModels()
  const controls = useShownSale('image')
  const asked = controls.asked?.question
  const [model, setModel] = useState(firstModel(controls, query) ?? facts.defaultImageModel)
  const [prompt, setPrompt] = useState(asked?.prompt ?? 'A brass fare box on a tram')
  const [picked, setPicked] = useState<string>()
  // A price that was asked without the list keeps its size when the list comes.
  const chosen = picked ?? asked?.size
  const sizes = pictureSizes(models, { model, size: chosen })
  const size = sizes.find((each) => each === chosen) ?? sizes[0] ?? ''
  const changing = resetting(controls.reset)
  const change = changing(setPicked)
  return (
    <SaleForm controls={controls} order={imageOrder({ model, prompt, size })}>
      <ModelField value={model} list={models} onChange={changing(setModel)} />
      <PromptField value={prompt} onChange={changing(setPrompt)} />
      <label class="field">
        <span>Size</span>
        <select required value={size} onChange={(event) => change(event.currentTarget.value)}>
          {size === '' && <option value="">Loading…</option>}
          {sizes.map((each) => (
            <option value={each}>{each.replace('x', '×')}</option>
          ))}
        </select>
      </label>
    </SaleForm>
  )
}

/** The model of the sale under way, or else that of the link, or else that of the last sale. */
function firstModel(
  { asked, sale }: Pick<SaleControls<'chat' | 'image'>, 'asked' | 'sale'>,
  query: Readonly<Record<string, string>>,
): string | undefined {
  return isUnderWay(sale) ? asked?.question.model : (query['model'] ?? asked?.question.model)
}

type Setter = <Value>(set: (value: Value) => void) => (value: Value) => void

/** Another question has another price. */
function resetting(reset: () => void): Setter {
  return (set) => (value) => {
    set(value)
    reset()
  }
}
