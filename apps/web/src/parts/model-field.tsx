import type { VNode } from 'preact'
import { useChatModels } from '../service/models.ts'

type ModelFieldProps = {
  readonly value: string
  readonly onChange: (model: string) => void
}

/** A field for the id of a chat model that suggests those of the catalog. */
export function ModelField({ value, onChange }: ModelFieldProps): VNode {
  const models = useChatModels()
  return (
    <label class="field">
      <span>Model</span>
      <input
        value={value}
        list="chat-models"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => {
          onChange(event.currentTarget.value.trim())
        }}
      />
      <datalist id="chat-models">
        {models?.status === 'ok' &&
          models.body.models.map(({ id, name }) => <option value={id}>{name}</option>)}
      </datalist>
    </label>
  )
}
