/** The result of one check. `note`: not wrong, but worth knowing. */
export type Finding = {
  readonly verdict: 'ok' | 'note' | 'wrong'
  readonly subject: string
  readonly message: string
}

/** Runs a check and turns an error that it throws into a finding. */
export async function finding(
  subject: string,
  check: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await check()
  } catch (error) {
    return [{ verdict: 'wrong', subject, message: sentence(error) }]
  }
}

/** `fetch` gives the reason of a failure only in the error's cause. */
function sentence(error: unknown): string {
  if (error instanceof TypeError && error.cause instanceof Error) return sentence(error.cause)
  const text = error instanceof Error ? error.message : String(error)
  return text.split('\n')[0] ?? text
}
