import type { ChoiceEnd } from '../provider/choice-end.ts'
import type { Delivered } from './delivered.ts'

/** The finish reasons of a response that was stopped because what was paid is used up. */
export function lengthFinishReasons({ choices }: Delivered): readonly ChoiceEnd[] {
  return choices.map(({ index }) => ({ index, reason: 'length' }))
}
