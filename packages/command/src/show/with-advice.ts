/** The fix, by the code of an error whose message names only the problem. */
const advice: ReadonlyMap<string, string> = new Map([
  [
    'spend_cap_exceeded',
    'Raise the cap with --max-usd-per-call, --max-usd-per-hour or --max-usd-total; what a payment channel still holds counts as spent.',
  ],
  [
    'connection_failed',
    'Check that the gateway is running, and that --url or FAREBOX_URL is its address.',
  ],
])

/** What the client says of a failure that is not described as gateways describe theirs. */
const strangeAnswer = /^The server responded with status \d+\.$/
const wrongServer = 'Check that --url or FAREBOX_URL is the address of a Farebox gateway.'

/** The message of an error, and what to do about it. */
export function withAdvice({
  code,
  message,
}: {
  readonly code: string
  readonly message: string
}): string {
  const fix = strangeAnswer.test(message) ? wrongServer : advice.get(code)
  return [message, fix].filter(Boolean).join(' ')
}
