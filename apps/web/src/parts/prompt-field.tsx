import type { VNode } from 'preact'

type PromptFieldProps = { readonly value: string; readonly onChange: (value: string) => void }

/** A field for the text of a question or an image. */
export function PromptField({ value, onChange }: PromptFieldProps): VNode {
  return (
    <label class="field">
      <span>Prompt</span>
      <textarea
        dir="auto"
        required
        rows={5}
        value={value}
        onInput={(event) => {
          onChange(event.currentTarget.value)
        }}
      />
    </label>
  )
}
