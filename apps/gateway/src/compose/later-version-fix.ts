/** What an operator does about a ledger that a later version has migrated. */
export const laterVersionFix = 'run that version, or restore a backup from before'
