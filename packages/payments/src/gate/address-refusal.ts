import type { UnservedRefusal } from '../policy/unserved-budget.ts'
import type { Refusal } from './check-payer.ts'

const texts: Readonly<Record<UnservedRefusal['of'], string>> = {
  address: 'Too many payments from this network address ended unserved',
  all: 'Too many payments ended unserved, some of them from this network address',
}

/** Why payments from a network address are refused now. */
export function addressRefusal({ of, until }: UnservedRefusal): Refusal {
  const time = new Date(until).toISOString()
  return {
    reason: 'payer_refused',
    message: `${texts[of]}: the client disconnected before the response began, or the provider rejected the request or could not finish it. New payments from it are refused until ${time}; this one will not be used.`,
  }
}
