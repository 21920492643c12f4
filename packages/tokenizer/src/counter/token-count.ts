/**
 * A number of tokens and how far to trust it.
 *
 * `exact`: vocabulary and framing are the model's own, published ones; `upperBound` equals
 * `tokens`. `estimate`: something was fitted; the true count is expected near `tokens` and at most
 * `upperBound`, which follows from the UTF-8 length, normalised or not. `tokens` never exceeds
 * `upperBound`.
 */
export type TokenCount = {
  readonly tokens: number
  readonly method: 'exact' | 'estimate'
  readonly upperBound: number
}
