import { FareboxError } from '../farebox-error.ts'

/** Asks for costs that are not known yet, until it is enough or no more can be asked now. */
export type CostInquiry = (isEnough: () => boolean) => Promise<void>

/** How many costs one inquiry asks for, and how many at the same time: the gateway limits requests. */
const maxAsked = 40
const concurrency = 4

/**
 * Creates the inquiry into the costs of open payments; `ask` removes one whose cost is known. The
 * next inquiry begins with those that this one has not asked for.
 */
export function createCostInquiry<Entry>(
  open: Map<string, Entry>,
  ask: (id: string) => Promise<unknown>,
): CostInquiry {
  return async function inquire(isEnough) {
    const ids = [...open.keys()].slice(0, maxAsked)
    while (ids.length > 0 && !isEnough()) {
      const asked = ids.splice(0, concurrency)
      for (const id of asked) moveToEnd(open, id)
      const outcomes = await Promise.allSettled(asked.map(ask))
      if (outcomes.some(isRefused)) return
    }
  }
}

function moveToEnd<Entry>(open: Map<string, Entry>, id: string): void {
  const entry = open.get(id)
  if (entry === undefined) return
  open.delete(id)
  open.set(id, entry)
}

/** Whether the gateway does not answer, or not now: the next request would fail too. */
function isRefused(outcome: PromiseSettledResult<unknown>): boolean {
  if (outcome.status === 'fulfilled') return false
  const reason: unknown = outcome.reason
  return !(reason instanceof FareboxError) || reason.status === undefined || reason.status === 429
}
