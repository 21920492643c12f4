import { FareboxError } from '../farebox-error.ts'

export function invalidOption(message: string): FareboxError {
  return new FareboxError('invalid_option', message)
}

/** Without types a misspelled cap would have no effect. */
export function refuseUnknown(owner: string, unknown: object): void {
  for (const name in unknown) throw invalidOption(`A ${owner} has no option ${name}.`)
}
