import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Notice } from '../parts/notice.tsx'
import type { Sale } from './sale.ts'

type Renderer = (props: { readonly text: string }) => VNode

type AnswerProps = {
  readonly sale: Sale
  readonly label: string
  /** Shown above the answer. */
  readonly children?: ComponentChildren
}

/** The answer as it grows: formatted, and plain until the code that formats has loaded. */
export function Answer({ sale, label, children }: AnswerProps): VNode | null {
  const { stage, answer, reasoning, image, shortfall } = sale
  const Markdown = useMarkdown(stage)
  if (image !== undefined) {
    return (
      <section class="answer" aria-label={label}>
        {children}
        <img src={image} alt="What the model made of the prompt" />
      </section>
    )
  }
  if (answer === '' && reasoning === '' && shortfall === undefined) return null
  return (
    <section class="answer" aria-label={label} aria-busy={stage === 'answering'}>
      {children}
      {reasoning !== '' && (
        <details>
          <summary>Reasoning</summary>
          <p class="plain" dir="auto">
            {reasoning}
          </p>
        </details>
      )}
      {Markdown === undefined ? (
        <p class="plain" dir="auto">
          {answer}
        </p>
      ) : (
        <Markdown text={answer} />
      )}
      {shortfall !== undefined && <Notice>{shortfall}</Notice>}
    </section>
  )
}

/** A load that fails, such as beyond the rate limit, is tried again at the next stage of the sale. */
function useMarkdown(stage: Sale['stage']): Renderer | undefined {
  const [loaded, setLoaded] = useState<{ readonly Markdown: Renderer }>()
  useEffect(() => {
    if (loaded !== undefined) return
    void import('../chat/markdown.tsx').then(setLoaded, () => undefined)
  }, [stage, loaded])
  return loaded?.Markdown
}
