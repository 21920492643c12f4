import { encodeFunctionData, parseAbi } from 'viem'
import { callContract, createRpcClient, type RpcOptions } from '../rpc/rpc-client.ts'

/** The contract of OP Stack chains, such as Base, that states what data costs. */
const oracle = '0x420000000000000000000000000000000000000f'
const oracleAbi = parseAbi([
  'function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)',
])

/**
 * What the data of a mined transaction cost in addition to its gas, in wei: chains of the OP Stack add it to
 * their receipts. 0 where there is no such fee.
 *
 * Source: https://specs.optimism.io/protocol/exec-engine.html#l1-cost-fees-l1-fee-vault
 */
export function dataFeeOf(receipt: object): bigint {
  const fee = 'l1Fee' in receipt ? receipt.l1Fee : undefined
  return typeof fee === 'string' && /^0x[0-9a-f]+$/i.test(fee) ? BigInt(fee) : 0n
}

/**
 * Reads the most that a transaction costs in wei in addition to its gas, for its data on the parent chain; 0
 * where there is no such fee. `bytes` is its size without the signature.
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
