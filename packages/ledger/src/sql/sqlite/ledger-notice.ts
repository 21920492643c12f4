/** What an operator should know about an open ledger. */
export type LedgerNotice =
  /**
   * SQLite: the thread that copies the log into the file has ended. Commits copy it, and wait for
   * that; another thread is tried every minute.
   */
  | { readonly type: 'checkpoint_down'; readonly error: unknown }
  /** SQLite: a thread copies the log again. */
  | { readonly type: 'checkpoint_up' }
