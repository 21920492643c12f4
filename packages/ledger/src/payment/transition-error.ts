/** An event that cannot happen to a payment or a refund transfer in its state. Nothing was changed. */
export class TransitionError extends Error {
  override readonly name = 'TransitionError'
  readonly code = 'invalid_transition'
  /** The status that did not allow it. */
  readonly status: string
  /** The type of the event. */
  readonly event: string
  constructor(subject: { readonly id: string; readonly status: string }, event: string) {
    super(`${subject.id} is ${subject.status}: ${event} cannot happen to it`)
    this.status = subject.status
    this.event = event
  }
}
