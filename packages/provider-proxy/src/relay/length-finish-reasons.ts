import type { FinishReason } from '@farebox/api'
import type { Delivered } from './delivered.ts'

/** The finish reasons of an answer that we stopped because what was paid is used up. */
export function cutShort({
  choices,
}: Delivered): readonly { readonly index: number; readonly reason: FinishReason }[] {
  return choices.map(({ index }) => ({ index, reason: 'length' }))
}
