/** The value of `system_fingerprint`. */
export const fingerprint = 'fp_sandbox'

/** The rule is deterministic, so each token has probability 1. */
export function certainLogprob(token: string): object {
  return { token, logprob: 0, bytes: [...Buffer.from(token)], top_logprobs: [] }
}
