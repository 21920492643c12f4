/** 100 messages of 100,000 characters, each a six-byte escape, and room for the rest. */
export const maxBodyBytes: number = 64 * 1024 * 1024

/** Limits the memory of all bodies that are being read. */
export type BodyBudget = {
  /** `undefined` when the budget is used up. */
  reserve(bytes: number | undefined): BodyReservation | undefined
}

export type BodyReservation = {
  /** False when the body no longer fits into the budget. */
  grow(bytes: number): boolean
  release(): void
}

/** A budget of `bytes` for all bodies that are in memory at the same time. */
export function createBodyBudget(bytes: number): BodyBudget {
  let reserved = 0
  function reserve(size = 0): BodyReservation | undefined {
    if (reserved + size > bytes) return undefined
    let held = size
    reserved += size
    return {
      grow: (needed) => {
        const more = Math.max(0, needed - held)
        if (reserved + more > bytes) return false
        held += more
        reserved += more
        return true
      },
      release: () => {
        reserved -= held
        held = 0
      },
    }
  }
  return { reserve }
}
