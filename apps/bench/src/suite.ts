/** One question about speed, measured against the peers that it names. */
export type Suite = {
  readonly name: string
  readonly question: string
  /** Measures, and prints a table. */
  readonly run: () => Promise<void>
}
