import type { Hex } from '@farebox/ledger'
import { atomicUsdc, type Usdc } from '@farebox/money'
import { concat, type PublicClient, pad, size, slice } from 'viem'
import { ChainError } from '../rpc/chain-error.ts'
import { callContract } from '../rpc/rpc-client.ts'
import { createSharedRead } from '../scheduling/shared-read.ts'

export type PayerRead = { readonly balance: Usdc; readonly hasCode: boolean }

/** Reads payers one by one; those that are asked for together are one call to the node. */
export function createPayerReads(
  client: PublicClient,
  asset: Hex,
): (address: Hex) => Promise<PayerRead> {
  return createSharedRead({
    maxQuestions: 200,
    maxPauseMs: 20,
    read: (addresses: readonly Hex[]) => readPayers(client, asset, addresses),
  })
}

/**
 * The balance of accounts and whether they have code, in one call.
 *
 * @throws {ChainError} when the node does not answer.
 */
export async function readPayers(
  client: PublicClient,
  asset: Hex,
  addresses: readonly Hex[],
): Promise<readonly PayerRead[]> {
  const subject =
    addresses.length === 1 ? `the payer ${addresses[0]}` : `${addresses.length} payers`
  const data = concat([readingProgram(asset), ...addresses.map((address) => pad(address))])
  const outcome = await callContract(client, { subject, data })
  if (outcome.status === 'reverted') throw new ChainError(subject, { reason: `${asset} reverted` })
  if (size(outcome.data) !== 64 * addresses.length) {
    throw new ChainError(subject, { reason: `the node returned ${size(outcome.data)} bytes` })
  }
  return addresses.map((_, index) => ({
    hasCode: BigInt(slice(outcome.data, 64 * index, 64 * index + 32)) !== 0n,
    balance: atomicUsdc(BigInt(slice(outcome.data, 64 * index + 32, 64 * index + 64))),
  }))
}

/** The addresses follow the program. */
const addressesAt = '60'

/**
 * Code that a node runs as if it created a contract. It returns the size of the code and the balance
 * of the asset for each address that follows it, a word each. Multicall3 could read the balances, but
 * not whether there is code.
 */
function readingProgram(asset: Hex): Hex {
  return concat([
    '0x6370a0823160e01b600052', // the selector of balanceOf at 0
    `0x604060${addressesAt}`, // d, where the next result goes; p, where the next address lies
    '0x5b388110601e57', // loop: while p < CODESIZE, to the body
    '0x50604090036040f3', // return the results, from 64 to d
    '0x5b602081600439', // body: copy the address behind the selector
    '0x6004513b8252', // the size of its code at d
    '0x6020826020016024600073', // its balance at d + 32: STATICCALL of the asset
    asset,
    '0x5afa15605b57', // to the end if that failed
    '0x6020019060400190600f56', // p + 32, d + 64, to the loop
    '0x5b600080fd', // end: revert
  ])
}
