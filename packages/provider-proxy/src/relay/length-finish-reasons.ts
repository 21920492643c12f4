import type { FinishReason } from '@farebox/api'
import type { Delivered } from './delivered.ts'

/** The finish reasons of a response that was stopped because what was paid is used up. */
export function lengthFinishReasons({
  choices,
}: Delivered): readonly { readonly index: number; readonly reason: FinishReason }[] {
  return choices.map(({ index }) => ({ index, reason: 'length' }))
}
