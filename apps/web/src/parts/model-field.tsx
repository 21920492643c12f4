import type { VNode } from 'preact'

type ModelFieldProps = {
  readonly value: string
  /** The models to suggest. */
  readonly models: readonly { readonly id: string; readonly name: string }[]
  readonly onChange: (model: string) => void
}

/** A field for the id of a model that suggests those of the catalog. */
export function ModelField({ value, models, onChange }: ModelFieldProps): VNode {
  return (
    <label class="field">
      <span>Model</span>
      <input
        value={value}
        list="models"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => {
          onChange(event.currentTarget.value.trim())
        }}
      />
      <datalist id="models">
        {models.map(({ id, name }) => (
          <option value={id}>{name}</option>
        ))}
      </datalist>
    </label>
  )
}
