import type { Devnet } from '@farebox/devnet'

/** The owner moves money out of the treasury by a plain transfer. */
export async function sweepTreasury(devnet: Devnet, to: string, value: bigint): Promise<void> {
  const from = devnet.treasury.address
  await devnet.rpc('anvil_impersonateAccount', [from])
  await devnet.setEthBalance(from, 10n ** 18n)
  const words = [to.slice(2), value.toString(16)].map((word) => word.padStart(64, '0')).join('')
  await devnet.rpc('eth_sendTransaction', [{ from, to: devnet.usdc, data: `0xa9059cbb${words}` }])
}
