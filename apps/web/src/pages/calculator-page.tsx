import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { exactDollars } from '../parts/format-amount.ts'
import { MaxTokensField } from '../parts/max-tokens-field.tsx'
import { ModelField } from '../parts/model-field.tsx'
import { Notice } from '../parts/notice.tsx'
import { PromptField } from '../parts/prompt-field.tsx'
import { Receipt } from '../parts/receipt.tsx'
import type { Reply } from '../service/call-service.ts'
import { type ChatQuestion, type Estimate, useEstimate } from '../service/estimate.ts'
import { estimateLikely } from '../service/estimate-likely.ts'
import { facts } from '../service/facts.ts'
import { useChatModels } from '../service/models.ts'
import { useTitle } from './use-title.ts'

const firstPrompt = 'Explain in a few sentences how a fare box on a tram worked.'

export function CalculatorPage(): VNode {
  useTitle('Calculator')
  const { query } = useLocation()
  const [model, setModel] = useState(query['model'] ?? facts.defaultChatModel)
  const [prompt, setPrompt] = useState(firstPrompt)
  const [maxTokens, setMaxTokens] = useState<number | undefined>(4096)
  const [share, setShare] = useState(20)
  const models = useChatModels()
  const question = { model, prompt, maxTokens }
  const missing = missingOf(question)
  const estimate = useEstimate(missing === undefined ? question : undefined)
  const outputTokens = maxTokens === undefined ? 0 : Math.round((maxTokens * share) / 100)
  return (
    <section>
      <h1>What will it cost?</h1>
      <p class="lead">Type, and see the price. Asking is free and needs no wallet.</p>
      <div class="columns">
        <form class="stack" onSubmit={(event) => event.preventDefault()}>
          <ModelField value={model} list={models} onChange={setModel} />
          <PromptField value={prompt} onChange={setPrompt} />
          <MaxTokensField value={maxTokens} onChange={setMaxTokens} />
          <label class="field">
            <span>
              The answer uses {share}% of that
              {maxTokens !== undefined && `, ${outputTokens} tokens`}
            </span>
            <input
              type="range"
              min={1}
              max={100}
              value={share}
              onInput={(event) => {
                setShare(event.currentTarget.valueAsNumber)
              }}
            />
          </label>
        </form>
        <div class="ticket" aria-live="polite">
          {missing === undefined ? (
            <Answered reply={estimate} outputTokens={outputTokens} />
          ) : (
            <p class="waiting">{missing}</p>
          )}
        </div>
      </div>
    </section>
  )
}

/** What to type before there is a price; undefined if nothing is missing. */
function missingOf({ model, prompt, maxTokens }: ChatQuestion): string | undefined {
  if (model === '') return 'Type the name of a model to see its price.'
  if (prompt === '') return 'Type a prompt to see its price.'
  if (maxTokens === undefined) return 'Type a length from 1 to 128,000 tokens to see the price.'
  return undefined
}

type AnsweredProps = {
  readonly reply: Reply<Estimate> | undefined
  readonly outputTokens: number
}

function Answered({ reply, outputTokens }: AnsweredProps): VNode {
  if (reply === undefined) return <p class="waiting">Asking for the price…</p>
  if (reply.status === 'refused') return <Notice>{reply.message}</Notice>
  return <Price estimate={reply.body} outputTokens={outputTokens} />
}

type PriceProps = { readonly estimate: Estimate; readonly outputTokens: number }

function Price({ estimate, outputTokens }: PriceProps): VNode {
  const { minimumCharge } = facts
  const { cost, refund } = estimateLikely(estimate, { outputTokens, minimumCharge })
  return (
    <>
      <Receipt
        lines={[
          {
            label: 'You pay at most',
            note: `${estimate.estimatedInputTokens} tokens in, up to ${estimate.estimatedOutputTokens} out`,
            amount: exactDollars(estimate.estimatedCost.usd),
          },
          {
            label: 'Likely cost',
            note: `with an answer of ${outputTokens} tokens`,
            amount: `about ${exactDollars(cost)}`,
          },
          { label: 'You get back', amount: `about ${exactDollars(refund)}`, strong: true },
        ]}
      />
      <details>
        <summary>How the maximum adds up</summary>
        <Receipt
          lines={estimate.explanation.map(({ label, quantity, basis_points, amount_usd }) => ({
            label,
            ...(quantity !== undefined && { note: `${quantity.toLocaleString('en')} tokens` }),
            ...(basis_points !== undefined && { note: `${basis_points / 100}%` }),
            amount: exactDollars(amount_usd),
          }))}
        />
      </details>
      <p class="fine">{estimate.message}</p>
    </>
  )
}
