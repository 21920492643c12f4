/** An event is not allowed in the state of a payment or refund transfer. Nothing was changed. */
export class TransitionError extends Error {
  override readonly name = 'TransitionError'
  readonly code = 'invalid_transition'
  /** The status that does not allow it. */
  readonly status: string
  /** The type of the event. */
  readonly event: string
  constructor(subject: { readonly id: string; readonly status: string }, event: string) {
    super(`${subject.id} is ${subject.status}: ${event} is not allowed in this state`)
    this.status = subject.status
    this.event = event
  }
}
