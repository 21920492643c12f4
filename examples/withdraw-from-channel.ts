// Takes what is left of a payment channel back without its gateway: the contract returns it to the payer a
// day after it was asked. Run it to announce the withdrawal, and again after that day. The payer needs
// a little ETH for gas. While the gateway answers, `farebox channel close` is faster and costs no gas.
import { createPublicClient, createWalletClient, http, isHash, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { readDevnetKeys } from './devnet-keys.ts'

const { payers, rpcUrl } = readDevnetKeys(process.argv[2])
const channelId = process.argv[3]
if (channelId === undefined || !isHash(channelId)) {
  console.error('Pass the id of the channel after devnet.json: 0x and 64 digits')
  process.exit(2)
}

const address = '0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003'
const abi = parseAbi([
  'struct ChannelConfig { address payer; address payerAuthorizer; address receiver; address receiverAuthorizer; address token; uint40 withdrawDelay; bytes32 salt; }',
  'event ChannelCreated(bytes32 indexed channelId, ChannelConfig config)',
  'function channels(bytes32) view returns (uint128 balance, uint128 totalClaimed)',
  'function pendingWithdrawals(bytes32) view returns (uint128 amount, uint40 initiatedAt)',
  'function initiateWithdraw(ChannelConfig config, uint128 amount)',
  'function finalizeWithdraw(ChannelConfig config)',
])
const network = { chain: baseSepolia, transport: http(rpcUrl) }
const chain = createPublicClient(network)
const wallet = createWalletClient({
  ...network,
  account: privateKeyToAccount(payers[0].privateKey),
})

// The contract knows a channel by its id alone; the log of its creation has the rest. On a long chain, ask
// from a block shortly before the first deposit on.
const [created] = await chain.getContractEvents({
  address,
  abi,
  eventName: 'ChannelCreated',
  args: { channelId },
  fromBlock: 0n,
  strict: true,
})
if (created === undefined) throw new Error(`The contract has no channel ${channelId}`)
const { config } = created.args
const contract = { address, abi } as const
const read = { ...contract, args: [channelId] } as const
const [balance, claimed] = await chain.readContract({ ...read, functionName: 'channels' })
const [pending, since] = await chain.readContract({ ...read, functionName: 'pendingWithdrawals' })
const { timestamp } = await chain.getBlock()

if ((await chain.getBalance(wallet.account)) === 0n) {
  throw new Error(`${wallet.account.address} has no ETH for gas`)
}
if (since === 0 && balance === claimed) {
  console.log('nothing is left in the channel')
} else if (since === 0) {
  const args = [config, balance - claimed] as const
  const hash = await wallet.writeContract({ ...contract, functionName: 'initiateWithdraw', args })
  await chain.waitForTransactionReceipt({ hash })
  console.log(`announced ${balance - claimed}: run it again after ${config.withdrawDelay} seconds`)
} else if (timestamp < BigInt(since + config.withdrawDelay)) {
  const left = BigInt(since + config.withdrawDelay) - timestamp
  console.log(`announced ${pending}: run it again after ${left} seconds`)
} else {
  const args = [config] as const
  const hash = await wallet.writeContract({ ...contract, functionName: 'finalizeWithdraw', args })
  await chain.waitForTransactionReceipt({ hash })
  const [after] = await chain.readContract({ ...read, functionName: 'channels' })
  console.log(`returned ${balance - after} in ${hash}`)
}
