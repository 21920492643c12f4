import type { Suite } from './suite.ts'
import { ledgerCommits } from './suites/ledger-commits.ts'
import { paymentCheck } from './suites/payment-check.ts'
import { quotes } from './suites/quotes.ts'

/** Every suite, in the order in which they run. */
export const suites: readonly Suite[] = [quotes, paymentCheck, ledgerCommits]
