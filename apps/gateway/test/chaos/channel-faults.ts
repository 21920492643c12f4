import type { Devnet } from '@farebox/devnet'
import type { PaymentRecord } from '@farebox/ledger'
import { openLedger } from '@farebox/ledger/sql'
import { createPublicClient, http, parseAbi } from 'viem'

export type ChannelBooks = {
  readonly databaseUrl: string
  readonly devnet: Devnet
  /** How many requests reached the provider. */
  readonly requests: number
}

const contract = '0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003'
const abi = parseAbi([
  'function channels(bytes32) view returns (uint128 balance, uint128 totalClaimed)',
])

/** What is wrong with the channels of a ledger whose calls have all ended. */
export async function channelFaults(books: ChannelBooks): Promise<readonly string[]> {
  const store = await openLedger({ url: books.databaseUrl })
  try {
    const faults: string[] = []
    const calls: PaymentRecord[] = []
    for await (const { payment } of store.exportPayments()) {
      if (payment.kind === 'channel_call') calls.push(payment)
    }
    const charged = calls.filter(({ cost }) => (cost ?? 0n) > 0n)
    if (charged.length > books.requests) faults.push('more calls were charged than served')
    if (books.requests > calls.length) faults.push('more calls were served than held')
    const chain = createPublicClient({ transport: http(books.devnet.rpcUrl) })
    for await (const { id, ...channel } of store.exportChannels()) {
      const cost = calls.reduce((sum, call) => {
        return call.channelId === id ? sum + (call.cost ?? 0n) : sum
      }, 0n)
      if (channel.charged !== cost) faults.push(`${id}: ${channel.charged} charged, ${cost} spent`)
      if (channel.reserved !== 0n) faults.push(`${id}: ${channel.reserved} is still held`)
      const args = [id] as const
      const [balance] = await chain.readContract({
        address: contract,
        abi,
        functionName: 'channels',
        args,
      })
      const booked = channel.deposited - channel.returned
      if (balance !== booked) faults.push(`${id}: the chain has ${balance}, the ledger ${booked}`)
      if (channel.charged > booked) faults.push(`${id}: charged beyond its deposits`)
    }
    return faults
  } finally {
    await store.close()
  }
}
