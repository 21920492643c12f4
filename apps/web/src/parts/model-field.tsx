import type { VNode } from 'preact'
import type { Reply } from '../service/call-service.ts'

type Models = { readonly models: readonly { readonly id: string; readonly name: string }[] }

type ModelFieldProps = {
  readonly value: string
  /** The models to suggest; undefined while they are loading. */
  readonly list: Reply<Models> | undefined
  readonly onChange: (model: string) => void
}

/** A field for the id of a model that suggests those of the catalog. */
export function ModelField({ value, list, onChange }: ModelFieldProps): VNode {
  const models = list?.status === 'ok' ? list.body.models : []
  return (
    <label class="field">
      <span>
        Model
        {list === undefined && <small> (the list is loading…)</small>}
        {list?.status === 'refused' && <small> (no list: {list.message})</small>}
      </span>
      <input
        required
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
