import type { Config } from '../settings.ts'
import type { Finding } from './finding.ts'

/** Checks whether preconfirmations can be read: where this process settles. */
export function checkSettleMode({
  SETTLE_MODE,
  FACILITATOR_URL,
  CDP_API_KEY_ID,
}: Pick<Config, 'SETTLE_MODE' | 'FACILITATOR_URL' | 'CDP_API_KEY_ID'>): readonly Finding[] {
  const settlesHere = FACILITATOR_URL === undefined && CDP_API_KEY_ID === undefined
  if (SETTLE_MODE !== 'preconfirmed' || settlesHere) return []
  return [
    {
      verdict: 'note',
      subject: 'settle mode',
      message:
        'a facilitator settles, so preconfirmations are not read: the mode works like overlap',
      fix: 'set SETTLE_MODE to overlap, or settle without a facilitator',
    },
  ]
}
