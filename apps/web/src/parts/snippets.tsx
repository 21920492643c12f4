import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { CodeBlock } from './code-block.tsx'
import { type SnippetOptions, snippetTexts } from './snippet-texts.ts'

/** Snippets as tabs; the arrow keys move between them. */
export function Snippets(options: SnippetOptions): VNode {
  const snippets = snippetTexts(options)
  const [shown, setShown] = useState(0)
  const snippet = snippets[shown] ?? { name: '', text: '' }
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const next = (shown + step + snippets.length) % snippets.length
    setShown(next)
    document.getElementById(`tab-${next}`)?.focus()
  }
  return (
    <div class="snippets">
      <div class="tabs" role="tablist" aria-label="Clients" onKeyDown={move}>
        {snippets.map(({ name }, index) => (
          <button
            type="button"
            role="tab"
            id={`tab-${index}`}
            aria-selected={index === shown}
            aria-controls="snippet"
            tabIndex={index === shown ? 0 : -1}
            onClick={() => {
              setShown(index)
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <div id="snippet" role="tabpanel" aria-labelledby={`tab-${shown}`}>
        <CodeBlock text={snippet.text} label={`the ${snippet.name} snippet`} />
      </div>
    </div>
  )
}
