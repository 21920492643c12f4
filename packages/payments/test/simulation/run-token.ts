import type { Hex } from '@farebox/ledger'
import { every } from './every.ts'
import { coldWallet, sweepPrefix } from './invariants.ts'
import type { SimContext } from './sim-context.ts'

/** The token is paused for a while, a payee blocked, the treasury swept and refilled. */
export function runToken(
  context: SimContext,
  { treasury, payees }: { readonly treasury: Hex; readonly payees: readonly Hex[] },
): void {
  const { world, chain, faults } = context
  const { random } = world
  let sweeps = 0
  const moveAll = (from: Hex, to: Hex) => {
    sweeps += 1
    const nonce: Hex = `${sweepPrefix}${sweeps.toString(16).padStart(56, '0')}`
    const value = chain.balance(from)
    const validBefore = Number.MAX_SAFE_INTEGER
    if (value === 0n) return
    chain.broadcast([{ kind: 'transfer', from, to, value, nonce, validBefore }])
  }
  every(context, 1_000, () => {
    if (!random.chance(faults().token)) return
    const [first = treasury, ...rest] = payees
    const payee = random.pick([first, ...rest])
    const seconds = random.whole(2_000, 40_000)
    const event = random.pick(['pause', 'block', 'sweep'] as const)
    context.count(`token: ${event}`)
    switch (event) {
      case 'pause':
        chain.setPaused(true)
        world.after(seconds, () => chain.setPaused(false))
        break
      case 'block':
        chain.setBlocked(payee, true)
        world.after(seconds, () => chain.setBlocked(payee, false))
        break
      case 'sweep':
        moveAll(treasury, coldWallet)
        break
    }
  })
  // The cold wallet regularly returns what was swept, so that refunds can be paid in the end.
  every(context, 15_000, () => moveAll(coldWallet, treasury))
}
