import type { PublicClient } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { FeeSource } from './gas-fees.ts'
import type { NonceSource } from './nonce-source.ts'
import type { PendingTransactions } from './pending-transactions.ts'
import type { SignTransaction } from './sign-transaction.ts'
import type { QueueNotice } from './transaction-call.ts'

/** What sending and watching share. */
export type QueueParts = {
  readonly client: PublicClient
  readonly account: PrivateKeyAccount
  readonly clock: () => number
  readonly cap: bigint
  readonly fees: FeeSource
  readonly sign: SignTransaction
  readonly pending: PendingTransactions
  readonly nonces: NonceSource
  readonly serial: <Result>(task: () => Promise<Result>) => Promise<Result>
  readonly notify: (notice: QueueNotice) => void
}
