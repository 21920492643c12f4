/** An option of `createStorefront` or `openCatalog` cannot work; the message names it and the fix. */
export class StorefrontOptionError extends Error {
  override readonly name = 'StorefrontOptionError'
  readonly code = 'invalid_option'
}

/** Whether each option is valid, and what it must be. */
export type OptionChecks = Readonly<Record<string, readonly [isValid: boolean, must: string]>>

/**
 * Refuses the first option that is not valid.
 *
 * @throws {StorefrontOptionError} `invalid_option`
 */
export function refuseInvalid(checks: OptionChecks): void {
  for (const [name, [isValid, must]] of Object.entries(checks)) {
    if (!isValid) throw new StorefrontOptionError(`${name} must be ${must}`)
  }
}

export function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

/** Whether it is a whole number of at least `min`: an amount of basis points or messages. */
export function isWhole(value: unknown, min: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= min
}
