import type { VNode } from 'preact'

type MaxTokensFieldProps = {
  /** Undefined while the field has no valid number: its text stays as it was typed. */
  readonly value: number | undefined
  readonly onChange: (value: number | undefined) => void
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
          const { validity, valueAsNumber } = event.currentTarget
          onChange(validity.valid ? valueAsNumber : undefined)
        }}
      />
    </label>
  )
}
