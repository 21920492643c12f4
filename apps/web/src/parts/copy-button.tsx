import type { VNode } from 'preact'
import { useState } from 'preact/hooks'

/** Copies a text, and confirms it for a moment. */
export function CopyButton({
  text,
  label,
}: {
  readonly text: string
  readonly label: string
}): VNode {
  const [state, setState] = useState('Copy')
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setState('Copied')
    setTimeout(() => {
      setState('Copy')
    }, 1_500)
  }
  return (
    <button
      type="button"
      class="copy"
      aria-label={`${state} ${label}`}
      onClick={() => {
        copy().catch(() => {
          setState('Select and copy')
        })
      }}
    >
      {state}
    </button>
  )
}
