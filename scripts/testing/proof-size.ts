/** How often a proof repeats itself: seeds, random inputs, kills. */
export type ProofSizes = {
  /** In `npm test`. */
  readonly quick: number
  /** In `npm test -- --all`, which CI runs. */
  readonly all: number
}

/** The size for this run. */
export function proofSize({ quick, all }: ProofSizes): number {
  return process.env['TEST_ALL'] === undefined ? quick : all
}
