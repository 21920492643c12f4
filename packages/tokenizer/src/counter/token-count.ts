/**
 * A number of tokens, and how reliable it is.
 *
 * `exact`: vocabulary and framing are the model's published ones; `upperBound` equals
 * `tokens`. `estimate`: something was fitted; the true count should be near `tokens` and at most
 * `upperBound`, which follows from the UTF-8 length, normalized or not. `tokens` never exceeds
 * `upperBound`.
 */
export type TokenCount = {
  readonly tokens: number
  readonly method: 'exact' | 'estimate'
  readonly upperBound: number
}
