/** The value of `system_fingerprint`. */
export const fingerprint = 'fp_sandbox'

/** The rule is deterministic, so each token has probability 1, and no other is among the likely ones. */
export function certainLogprob(token: string, { top_logprobs: top }: LogprobRequest): object {
  const certain = { token, logprob: 0, bytes: [...Buffer.from(token)] }
  return { ...certain, top_logprobs: Number(top ?? 0) > 0 ? [certain] : [] }
}

/** The part of a request body that matters here. */
type LogprobRequest = { readonly top_logprobs?: unknown }
