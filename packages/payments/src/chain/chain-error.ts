/** The node did not answer, or answered what cannot be relied on. Nothing follows from it. */
export class ChainError extends Error {
  override readonly name = 'ChainError'
  readonly code = 'chain_unavailable'
  constructor(question: string, options?: ErrorOptions) {
    super(`The chain could not say ${question}`, options)
  }
}
