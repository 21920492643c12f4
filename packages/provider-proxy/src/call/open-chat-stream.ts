import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatCall, ChatStream } from '../provider/chat-provider.ts'
import { UpstreamError } from '../provider/upstream-error.ts'
import { type RetryPolicy, retryDelay } from '../transport/retry-policy.ts'
import { type AttemptParts, openAttempt } from './open-attempt.ts'

export type OpenParts = AttemptParts & {
  readonly retry: RetryPolicy
  readonly random: () => number
}

/**
 * Calls a provider and resolves with its first event. Retries only if the provider provably did
 * nothing, at most as often as the call allows, and within the time for the first token: clients do
 * not wait longer.
 *
 * @throws {UpstreamError} when no attempt got that far.
 */
export async function openChatStream(call: ChatCall, parts: OpenParts): Promise<ChatStream> {
  const { clock, timeouts } = parts
  const policy = { ...parts.retry, attempts: call.attempts ?? parts.retry.attempts }
  const own = clock() + (call.firstToken ?? timeouts.firstToken)
  const until = Math.min(own, call.until ?? own)
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await openAttempt({ ...call, firstToken: until - clock() }, parts)
    if (outcome.status === 'opened') return outcome.stream
    const { error, retry } = outcome
    if (retry === null) throw error
    const { retryAfter } = retry
    const wait = retryDelay(policy, attempt, { retryAfter, random: parts.random() })
    if (wait === null || clock() + wait >= until) throw error
    await pause(wait, call, error)
  }
}

async function pause(milliseconds: number, call: ChatCall, error: UpstreamError): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal: call.signal })
  } catch {
    const { provider } = error
    const message = `${provider} was not called again: the client disconnected`
    throw new UpstreamError(message, { code: 'aborted', provider, cause: error })
  }
}
