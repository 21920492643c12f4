/** The speed of the sandbox. */
export type Pace = {
  /** From the request until the first token, in milliseconds. */
  readonly firstTokenMs: number
  readonly tokensPerSecond: number
  /** From an image request until its response, in milliseconds. */
  readonly imageMs: number
}

/** About the speed of a small hosted model. */
export const modelPace: Pace = { firstTokenMs: 150, tokensPerSecond: 60, imageMs: 400 }

/** When a token is due, in milliseconds after the request. */
export function dueAt(pace: Pace, token: number): number {
  return pace.firstTokenMs + (token * 1000) / pace.tokensPerSecond
}
