import type { Hex } from '@farebox/ledger'
import { buy, type ClientOptions, type Hostility } from './client.ts'
import type { SimContext } from './sim-context.ts'

export const hostilities: readonly Hostility[] = [
  { name: 'canceller', act: 'cancel' },
  { name: 'front-runner', act: 'execute' },
  { name: 'emptied wallet', act: 'empty' },
  { name: 'twin', act: 'twin' },
  { name: 'copier', copies: 5 },
  { name: 'copying canceller', act: 'cancel', copies: 4 },
  { name: 'leaver', manner: 'leaves' },
  { name: 'changer of mind', reverts: true },
]

const purchasesEach = 6

/** Lets each hostile payer buy again and again, one purchase after the other. */
export function startHostilePayers(
  context: SimContext,
  client: Omit<ClientOptions, 'address' | 'context'>,
  payers: readonly Hex[],
): () => number {
  const { world } = context
  let open = 0
  for (const [index, address] of payers.entries()) {
    const hostility = hostilities[index % hostilities.length]
    if (hostility === undefined) continue
    if (hostility.reverts) context.reverting.add(address)
    open += 1
    world.after(world.random.whole(0, 10_000), () => {
      void buyAgain({ ...client, context, address }, hostility).finally(() => {
        open -= 1
      })
    })
  }
  return () => open
}

async function buyAgain(client: ClientOptions, hostility: Hostility): Promise<void> {
  for (let purchase = 0; purchase < purchasesEach; purchase += 1) {
    client.context.count(`hostile: ${hostility.name}`)
    await buy(client, hostility)
  }
}
