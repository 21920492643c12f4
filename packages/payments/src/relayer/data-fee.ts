import { encodeFunctionData, parseAbi } from 'viem'
import { callContract, createRpcClient, type RpcOptions } from '../rpc/rpc-client.ts'

/** Where chains of the OP Stack, Base among them, say what data costs. */
const oracle = '0x420000000000000000000000000000000000000f'
const oracleAbi = parseAbi([
  'function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)',
])

/**
 * Reads the most that a transaction of so many bytes, without its signature, costs in wei beside its
 * gas: what its data costs on the chain below. 0 where there is no such fee.
 *
 * Source: https://specs.optimism.io/protocol/fjord/predeploys.html#gaspriceoracle
 *
 * @throws {ChainError} when the node does not answer.
 */
export async function readDataFee(options: RpcOptions, bytes: number): Promise<bigint> {
  const outcome = await callContract(createRpcClient(options), {
    subject: 'the fee of data',
    to: oracle,
    data: encodeFunctionData({
      abi: oracleAbi,
      functionName: 'getL1FeeUpperBound',
      args: [BigInt(bytes)],
    }),
  })
  const isKnown = outcome.status === 'returned' && outcome.data.length === 66
  return isKnown ? BigInt(outcome.data) : 0n
}
