import type { VNode } from 'preact'
import { CopyButton } from './copy-button.tsx'

type CodeProps = {
  readonly text: string
  /** What the button copies, for people who cannot see it. */
  readonly label: string
}

/** A block of code with a button that copies it. */
export function CodeBlock({ text, label }: CodeProps): VNode {
  return (
    <div class="code">
      <CopyButton text={text} label={label} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: code that scrolls is reached by keyboard. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  )
}
