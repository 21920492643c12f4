const devnetId = 'eip155:84532'
const titles: ReadonlyMap<string, string> = new Map([
  ['eip155:8453', 'Base'],
  [devnetId, 'Base Sepolia'],
])

/** What a chain is called, by its CAIP-2 id. A devnet has the id of Base Sepolia. */
export function chainTitle(id: string, devnetRpcUrl: string | undefined): string {
  const isDevnet = id === devnetId && devnetRpcUrl !== undefined
  return isDevnet ? 'the devnet' : (titles.get(id) ?? id)
}
