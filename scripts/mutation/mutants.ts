import { gatewayMutants } from './gateway-mutants.ts'
import { generateMutants } from './generate-mutants.ts'
import { ledgerMutants } from './ledger-mutants.ts'
import type { Mutant } from './mutant.ts'
import { mutatedFiles } from './mutated-files.ts'
import { locateAll } from './named-mutant.ts'
import { paymentsMutants } from './payments-mutants.ts'
import { pricingMutants } from './pricing-mutants.ts'

const named = [...paymentsMutants, ...ledgerMutants, ...pricingMutants, ...gatewayMutants]

/**
 * All mutants, at their places in today's sources.
 *
 * @throws {Error} that lists the named mutants whose text is not in their files exactly once.
 */
export function listMutants(): readonly Mutant[] {
  return [...locateAll(named), ...mutatedFiles.flatMap(generateMutants)]
}
