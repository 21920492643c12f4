const problems = {
  unavailable: 'could not sign',
  wrong_key: 'signed with the key of another address, or the signature cannot be read',
} as const

/** An account whose key is elsewhere did not sign. */
export class SigningError extends Error {
  override readonly name = 'SigningError'
  readonly code: keyof typeof problems
  constructor(code: keyof typeof problems, address: string, options?: ErrorOptions) {
    super(`The account ${address} ${problems[code]}`, options)
    this.code = code
  }
}
