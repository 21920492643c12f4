/** The node did not answer, or its answer cannot be relied on. Nothing can be concluded from it. */
export class ChainError extends Error {
  override readonly name = 'ChainError'
  readonly code = 'chain_unavailable'
  /** `subject` is what was read, `reason` why that failed; both read as parts of the sentence. */
  constructor(
    subject: string,
    options: ErrorOptions & { readonly reason?: string | undefined } = {},
  ) {
    const { reason, ...errorOptions } = options
    const detail = reason === undefined ? '' : `: ${reason}`
    super(`Could not read ${subject} from the chain${detail}`, errorOptions)
  }
}
