/** The result of one check. `note` is not a problem, but worth knowing. */
export type Finding = {
  readonly verdict: 'ok' | 'note' | 'wrong'
  readonly subject: string
  readonly message: string
  /** How to fix it. */
  readonly fix?: string
}

/** A check, and what to do when it cannot be carried out. */
export type Check = { readonly subject: string; readonly fix: string }

/** Runs a check and turns an error that it throws into a finding. */
export async function finding(
  { subject, fix }: Check,
  check: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await check()
  } catch (error) {
    return [{ verdict: 'wrong', subject, message: sentence(error), fix }]
  }
}

/** `fetch` gives the reason of a failure only in its cause, and a connection only in its attempts. */
function sentence(error: unknown): string {
  if (error instanceof TypeError && error.cause instanceof Error) return sentence(error.cause)
  if (error instanceof AggregateError && error.errors.length > 0) return sentence(error.errors[0])
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'no response in time'
  const text = error instanceof Error ? error.message : String(error)
  // The user and the password of an address, which `fetch` repeats.
  return (text.split('\n')[0] ?? text).replace(/\/\/[^\s/@]*@/g, '//')
}
