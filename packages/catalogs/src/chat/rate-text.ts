/** Rates as published: USD per 1,000,000 tokens, as decimal text. */
export type RateText = {
  readonly input: string
  readonly output: string
  readonly cacheRead?: string
  readonly cacheWrite?: string
}
