import { type Address, type Hex, padHex, toEventSelector } from 'viem'
import type { JsonRpc } from '../anvil/json-rpc.ts'
import type { ChainControls } from './chain-controls.ts'
import { usdcAddress } from './devnet-addresses.ts'
import type { TokenAdmin } from './token-controls.ts'

export type Funding = {
  readonly rpc: JsonRpc
  readonly chain: ChainControls
  readonly admin: TokenAdmin
}

const payerFunds = 1_000_000_000n
/** A mint costs about 35,000 gas, and a transaction has to fit into a block of 30 million. */
const fundedAtOnce = 200
const relayerEther = 100n * 10n ** 18n

const transferTopic = toEventSelector('Transfer(address,address,uint256)')

/**
 * Gives each payer 1,000 USDC and the relayer its ETH. On a chain that was kept, it funds only
 * payers that never received USDC, and a relayer that is new or has run low.
 */
export async function fundAccounts(
  { rpc, chain, admin }: Funding,
  relayer: Address,
  payers: readonly Address[],
): Promise<void> {
  if ((await etherOf(rpc, relayer)) < relayerEther / 2n) {
    await chain.setEthBalance(relayer, relayerEther)
  }
  const known = await receivers(rpc, payers)
  const unfunded = payers.filter((payer) => !known.has(topicOf(payer)))
  for (let next = 0; next < unfunded.length; next += fundedAtOnce) {
    await admin.mintEach(unfunded.slice(next, next + fundedAtOnce), payerFunds)
  }
}

async function etherOf(rpc: JsonRpc, address: Address): Promise<bigint> {
  return BigInt(await rpc<Hex>('eth_getBalance', [address, 'latest']))
}

/** Which of the addresses were ever sent USDC, as log topics. */
async function receivers(
  rpc: JsonRpc,
  addresses: readonly Address[],
): Promise<ReadonlySet<string | undefined>> {
  if (addresses.length === 0) return new Set()
  const topics = [transferTopic, null, addresses.map(topicOf)]
  const filter = { fromBlock: '0x0', toBlock: 'latest', address: usdcAddress, topics }
  const logs = await rpc<readonly { readonly topics: readonly string[] }[]>('eth_getLogs', [filter])
  return new Set(logs.map((log) => log.topics[2]))
}

function topicOf(address: Address): string {
  return padHex(address, { size: 32 }).toLowerCase()
}
