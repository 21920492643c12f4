import { askFacilitator } from './ask-facilitator.ts'
import type { DependencyCheck } from './dependency-monitor.ts'

/**
 * Checks that a remote facilitator is up. Any response except a server error shows it: some require
 * authorization even for the list of what they support.
 */
export async function pingFacilitator(base: string): Promise<DependencyCheck> {
  const answer = await askFacilitator(base)
  if (answer.status === 'unavailable') return answer
  await answer.response.body?.cancel()
  return { status: 'ok' }
}
