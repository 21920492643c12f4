/** One question about speed, answered beside the peers named in it. */
export type Suite = {
  readonly name: string
  readonly question: string
  /** Prints its own table. */
  readonly run: () => Promise<void>
}
