/** What the relayer should hold: gas for some hundreds of refunds on Base, in wei. */
export const leastRelayerWei = 500_000_000_000_000n
