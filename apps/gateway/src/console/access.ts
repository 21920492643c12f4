import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Who may use the console. Times are milliseconds since 1970. */
export type Access = {
  /** A link's code, which opens one session within ten minutes. */
  readonly issueCode: () => string
  /** A new session for a code that is valid, or undefined. */
  readonly redeemCode: (code: string) => string | undefined
  /** A new session for the token, or undefined. */
  readonly redeemToken: (token: string) => string | undefined
  readonly isToken: (token: string) => boolean
  readonly isSession: (session: string) => boolean
  readonly endSession: (session: string) => void
}

export const sessionMs = 12 * 3_600_000
const codeMs = 10 * 60_000
/** When more are open, the oldest is closed. */
const maxSessions = 100

/** Keeps sessions in memory, by their digests. A restart ends them all. */
export function createAccess(token: string, now: () => number): Access {
  const codes = new Map<string, number>()
  const sessions = new Map<string, number>()
  const isToken = (given: string): boolean => timingSafeEqual(digest(given), digest(token))
  const open = (): string => {
    const session = randomBytes(32).toString('base64url')
    const [oldest] = sessions.keys()
    if (sessions.size >= maxSessions && oldest !== undefined) sessions.delete(oldest)
    sessions.set(keyOf(session), now() + sessionMs)
    return session
  }
  return {
    issueCode: () => {
      const code = randomBytes(32).toString('base64url')
      codes.set(keyOf(code), now() + codeMs)
      return code
    },
    redeemCode: (code) => {
      const key = keyOf(code)
      const until = codes.get(key) ?? 0
      codes.delete(key)
      return until > now() ? open() : undefined
    },
    redeemToken: (given) => (isToken(given) ? open() : undefined),
    isToken,
    isSession: (session) => (sessions.get(keyOf(session)) ?? 0) > now(),
    endSession: (session) => {
      sessions.delete(keyOf(session))
    },
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function keyOf(text: string): string {
  return digest(text).toString('base64url')
}
