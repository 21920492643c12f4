import type { OnCorruptRow } from '@farebox/ledger'

/** The rows that a command cannot read and leaves out. */
export type LeftOutRows = {
  /** Names a row on standard error. */
  readonly leaveOut: OnCorruptRow
  /** 1 once a row was left out: what was written is not complete. */
  exitCode(): 0 | 1
}

export function createLeftOutRows(): LeftOutRows {
  let isComplete = true
  return {
    leaveOut({ message }) {
      isComplete = false
      process.stderr.write(`Left out: ${message}. Correct it from a copy of the ledger.\n`)
    },
    exitCode: () => (isComplete ? 0 : 1),
  }
}
