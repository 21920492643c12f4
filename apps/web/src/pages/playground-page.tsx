import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { exactDollars } from '../parts/format-amount.ts'
import { ModelField } from '../parts/model-field.tsx'
import { Notice } from '../parts/notice.tsx'
import { Answer } from '../sale/answer.tsx'
import { PayButtons } from '../sale/pay-buttons.tsx'
import { PaymentTimeline } from '../sale/payment-timeline.tsx'
import type { Sale, Stage } from '../sale/sale.ts'
import { useSale } from '../sale/use-sale.ts'
import { chatBody } from '../service/estimate.ts'
import { facts } from '../service/facts.ts'
import { MaxTokensField } from './calculator-page.tsx'
import { useTitle } from './use-title.ts'

export function PlaygroundPage(): VNode {
  useTitle('Playground')
  const { query } = useLocation()
  const [model, setModel] = useState(query['model'] ?? facts.defaultChatModel)
  const [prompt, setPrompt] = useState('What is a fare box?')
  const [maxTokens, setMaxTokens] = useState(2000)
  const { sale, ask, buy, stop, reset } = useSale()
  const isBusy = ['pricing', 'signing', 'paying', 'answering'].includes(sale.stage)
  const body = { ...chatBody({ model, prompt, maxTokens }), stream: true }
  /** Another question has another price. */
  const changing =
    <Value,>(set: (value: Value) => void) =>
    (value: Value): void => {
      set(value)
      reset()
    }
  return (
    <section>
      <h1>Playground</h1>
      <p class="lead">Buy one answer, and watch its payment until the rest is back.</p>
      <div class="columns">
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault()
            void ask(body)
          }}
        >
          <fieldset class="stack" disabled={isBusy}>
            <legend class="unseen">The question</legend>
            <ModelField value={model} onChange={changing(setModel)} />
            <PromptField value={prompt} onChange={changing(setPrompt)} />
            <MaxTokensField value={maxTokens} onChange={changing(setMaxTokens)} />
          </fieldset>
          <Buttons sale={sale} onStop={stop} />
          {sale.stage === 'priced' && (
            <PayButtons sale={sale} onPay={(open) => void buy(body, open)} />
          )}
          {sale.problem !== undefined && <Notice>{sale.problem}</Notice>}
        </form>
        <div class="ticket">
          <PaymentTimeline sale={sale} />
        </div>
      </div>
      <Answer sale={sale} />
    </section>
  )
}

type PromptFieldProps = { readonly value: string; readonly onChange: (value: string) => void }

function PromptField({ value, onChange }: PromptFieldProps): VNode {
  return (
    <label class="field">
      <span>Prompt</span>
      <textarea
        rows={5}
        value={value}
        onInput={(event) => {
          onChange(event.currentTarget.value)
        }}
      />
    </label>
  )
}

/** What a stage waits for. */
const waiting: Partial<Record<Stage, string>> = {
  pricing: 'Asking…',
  signing: 'Waiting for the signature…',
  paying: 'Paying…',
}

function Buttons({ sale, onStop }: { readonly sale: Sale; readonly onStop: () => void }): VNode {
  const { stage, quote } = sale
  if (stage === 'answering') {
    return (
      <button type="button" class="button quiet" onClick={onStop}>
        Stop
      </button>
    )
  }
  if (stage === 'priced' && quote) {
    return (
      <p role="status">
        At most <strong>{exactDollars(quote.maximum.usd)}</strong>; with its longest answer it is
        likely to cost {exactDollars(quote.likely.usd)}.
      </p>
    )
  }
  const label = waiting[stage]
  return (
    <button type="submit" class="button" disabled={label !== undefined}>
      {label ?? 'Get the price'}
    </button>
  )
}
