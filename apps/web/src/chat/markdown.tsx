import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { growProse, noProse } from './grow-prose.ts'

/** The formatted text of a model, which may still grow. */
export function Markdown({ text }: { readonly text: string }): VNode {
  const prose = useRef(noProse)
  prose.current = growProse(prose.current, text)
  return <div class="prose">{prose.current.blocks}</div>
}
