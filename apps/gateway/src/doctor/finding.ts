/** What the doctor found of one thing. `note`: not wrong, but good to know. */
export type Finding = {
  readonly verdict: 'ok' | 'note' | 'wrong'
  readonly subject: string
  readonly says: string
}

/** Runs a check; what it throws is a finding, in a sentence. */
export async function finding(
  subject: string,
  check: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await check()
  } catch (error) {
    return [{ verdict: 'wrong', subject, says: sentence(error) }]
  }
}

/** `fetch` says why it failed only in its cause. */
function sentence(error: unknown): string {
  if (error instanceof TypeError && error.cause instanceof Error) return sentence(error.cause)
  const text = error instanceof Error ? error.message : String(error)
  return text.split('\n')[0] ?? text
}
