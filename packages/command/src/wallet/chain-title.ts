const titles: Readonly<Record<string, string>> = {
  'eip155:8453': 'Base',
  'eip155:84532': 'Base Sepolia',
}

/** What a chain is called, by its CAIP-2 id. A devnet has the id of Base Sepolia. */
export function chainTitle(id: string, devnetRpcUrl: string | undefined): string {
  return devnetRpcUrl === undefined ? (titles[id] ?? id) : 'the devnet'
}
