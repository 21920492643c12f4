import type { Logger } from '@farebox/http/log'
import type { LedgerNotice } from '@farebox/ledger/sql'

/** Logs what an operator should know about the ledger. */
export function ledgerLog(logger: Logger): (notice: LedgerNotice) => void {
  return (notice) => {
    if (notice.type === 'checkpoint_up') logger.info({ event: notice.type })
    else logger.warn({ event: notice.type, err: notice.error })
  }
}
