import type { VNode } from 'preact'
import type { Query } from './use-query.ts'

export type Choice = { readonly value: string; readonly name: string }

type SearchFieldProps = { readonly query: Query; readonly placeholder: string }

/** The search of a catalog. */
export function SearchField({ query, placeholder }: SearchFieldProps): VNode {
  return (
    <label class="field grow">
      <span>Search</span>
      <input
        type="search"
        value={query.get('q')}
        placeholder={placeholder}
        onInput={(event) => {
          query.set('q', event.currentTarget.value)
        }}
      />
    </label>
  )
}

type ChoiceFieldProps = {
  readonly query: Query
  readonly name: string
  readonly label: string
  /** The first selects all of them, with an empty value. */
  readonly choices: readonly Choice[]
}

export function ChoiceField({ query, name, label, choices }: ChoiceFieldProps): VNode {
  return (
    <label class="field">
      <span>{label}</span>
      <select
        value={query.get(name)}
        onChange={(event) => {
          query.set(name, event.currentTarget.value)
        }}
      >
        {choices.map((choice) => (
          <option value={choice.value}>{choice.name}</option>
        ))}
      </select>
    </label>
  )
}

/** Each value once, in alphabetical order, after a choice for all. */
export function choicesOf(all: string, values: readonly string[]): readonly Choice[] {
  const each = [...new Set(values)].sort().map((value) => ({ value, name: value }))
  return [{ value: '', name: all }, ...each]
}
