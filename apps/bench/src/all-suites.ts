import type { Suite } from './suite.ts'
import { estimateBesideStreams } from './suites/estimate-beside-streams.ts'
import { firstToken } from './suites/first-token.ts'
import { gateway } from './suites/gateway.ts'
import { growth } from './suites/growth.ts'
import { largeLedger } from './suites/large-ledger.ts'
import { openStreams } from './suites/open-streams.ts'
import { programs } from './suites/programs.ts'
import { quotes } from './suites/quotes.ts'
import { soak } from './suites/soak.ts'
import { watching } from './suites/watching.ts'
import { worstRequestsSuite } from './suites/worst-requests.ts'

/** All suites, in the order in which they run. */
export const suites: readonly Suite[] = [
  gateway,
  firstToken,
  growth,
  largeLedger,
  openStreams,
  quotes,
  estimateBesideStreams,
  worstRequestsSuite,
  watching,
  soak,
  ...programs,
]
