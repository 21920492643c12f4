import type { Store } from 'express-rate-limit'

export type AnswerTimes = {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** How long a request waits for the store. */
  readonly answerMs: number
  /** How long the store is left alone after that. */
  readonly pauseMs: number
}

/**
 * A store that fails instead of hanging: a server that stopped responding keeps its connection open.
 * While it hangs, one request after each pause asks it again, and the others fail at once.
 */
export function answeredWithin(store: Store, { now, answerMs, pauseMs }: AnswerTimes): Store {
  let askAgainAt: number | undefined

  return {
    ...store,
    increment: async (key) => {
      if (askAgainAt !== undefined) {
        if (now() < askAgainAt) throw notAnswered()
        askAgainAt = now() + pauseMs
      }
      const counted = await within(answerMs, async () => await store.increment(key))
      if (counted === undefined) {
        askAgainAt = now() + pauseMs
        throw notAnswered()
      }
      askAgainAt = undefined
      return counted
    },
  }
}

async function within<Result>(
  milliseconds: number,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      resolve(undefined)
    }, milliseconds)
  })
  return await Promise.race([work(), late]).finally(() => {
    clearTimeout(timer)
  })
}

function notAnswered(): Error {
  return new Error('the store of the rate limit does not respond')
}
