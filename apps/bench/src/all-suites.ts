import type { Suite } from './suite.ts'
import { estimateBesideStreams } from './suites/estimate-beside-streams.ts'
import { gateway } from './suites/gateway.ts'
import { programs } from './suites/programs.ts'
import { quotes } from './suites/quotes.ts'

/** All suites, in the order in which they run. */
export const suites: readonly Suite[] = [gateway, quotes, estimateBesideStreams, ...programs]
