import { gatewayMutants } from './gateway-mutants.ts'
import { generateMutants } from './generate-mutants.ts'
import { ledgerMutants } from './ledger-mutants.ts'
import type { Mutant } from './mutant.ts'
import { mutatedFiles } from './mutated-files.ts'
import { locate } from './named-mutant.ts'
import { paymentsMutants } from './payments-mutants.ts'
import { pricingMutants } from './pricing-mutants.ts'

const named = [...paymentsMutants, ...ledgerMutants, ...pricingMutants, ...gatewayMutants]

/**
 * All mutants, at their places in today's sources.
 *
 * @throws {Error} when a named mutant's text is not in its file exactly once.
 */
export function listMutants(): readonly Mutant[] {
  return [...named.map(locate), ...mutatedFiles.flatMap(generateMutants)]
}
