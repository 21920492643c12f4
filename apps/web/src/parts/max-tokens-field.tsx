import type { VNode } from 'preact'

type MaxTokensFieldProps = {
  readonly value: number
  readonly onChange: (value: number) => void
}

/** The field of `max_tokens`. */
export function MaxTokensField({ value, onChange }: MaxTokensFieldProps): VNode {
  return (
    <label class="field">
      <span>Longest answer, in tokens</span>
      <input
        type="number"
        required
        min={1}
        max={128_000}
        value={value}
        onInput={(event) => {
          const next = event.currentTarget.valueAsNumber
          if (Number.isInteger(next)) onChange(next)
        }}
      />
    </label>
  )
}
