import type { Kysely } from 'kysely'
import type { LedgerDatabase, SqlDialect } from '../schema/schema.ts'
import { channelMovementQueries } from './channel-movement-queries.ts'
import { channelQueries, channelUpdate } from './channel-queries.ts'
import { channelUseQueries } from './channel-use-queries.ts'
import { exportQueries } from './export-queries.ts'
import { freeQuotaQueries } from './free-quota-queries.ts'
import { gasQueries } from './gas-queries.ts'
import type { NarrowUpdate } from './narrow-update.ts'
import { payerFaultQueries } from './payer-fault-queries.ts'
import { leasedPaymentUpdate, paymentQueries, paymentUpdate } from './payment-queries.ts'
import { refundTransferQueries, refundUpdate } from './refund-queries.ts'
import { type ReportQueries, reportQueries } from './report-queries.ts'

/** Every statement of the store, compiled once for its SQL dialect. */
export type Queries = ReturnType<typeof paymentQueries> &
  ReturnType<typeof refundTransferQueries> &
  ReturnType<typeof payerFaultQueries> &
  ReturnType<typeof freeQuotaQueries> &
  ReturnType<typeof gasQueries> &
  ReturnType<typeof exportQueries> &
  ReturnType<typeof channelQueries> &
  ReturnType<typeof channelUseQueries> &
  ReturnType<typeof channelMovementQueries> &
  ReportQueries & {
    readonly updatePayment: NarrowUpdate
    readonly updateLeasedPayment: NarrowUpdate | null
    readonly updateRefund: NarrowUpdate
    readonly updateChannel: NarrowUpdate
  }

export function compileQueries(db: Kysely<LedgerDatabase>, dialect: SqlDialect): Queries {
  return {
    ...paymentQueries(db, dialect),
    ...refundTransferQueries(db, dialect),
    ...payerFaultQueries(db),
    ...freeQuotaQueries(db),
    ...gasQueries(db, dialect),
    ...exportQueries(db),
    ...channelQueries(db, dialect),
    ...channelUseQueries(db),
    ...channelMovementQueries(db),
    updatePayment: paymentUpdate(db),
    updateLeasedPayment: leasedPaymentUpdate(db, dialect),
    updateRefund: refundUpdate(db),
    updateChannel: channelUpdate(db),
    ...reportQueries(db, dialect),
  }
}
