import type { ConformanceCase } from '../conformance-case.ts'
import { callCases } from './call-cases.ts'
import { chainCases } from './chain-cases.ts'
import { depositCases } from './deposit-cases.ts'
import { limitCases } from './limit-cases.ts'
import { roundCases } from './round-cases.ts'

/** What every store must do with payment channels. */
export const channelCases: readonly ConformanceCase[] = [
  ...depositCases,
  ...callCases,
  ...limitCases,
  ...chainCases,
  ...roundCases,
]
