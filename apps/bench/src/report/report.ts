/** One plot: a bar for each peer, on a logarithmic scale. */
export type Plot = {
  readonly name: string
  readonly title: string
  readonly unit: string
  readonly bars: readonly { readonly label: string; readonly value: number }[]
}

/** What a suite measured, as it is saved. */
export type Report = {
  readonly name: string
  readonly title: string
  /** How it was measured, a sentence each. */
  readonly conditions: readonly string[]
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly plots: readonly Plot[]
  /** The versions of the peers by name. */
  readonly versions: Readonly<Record<string, string>>
  /** The same figures for programs. */
  readonly figures: readonly object[]
}
