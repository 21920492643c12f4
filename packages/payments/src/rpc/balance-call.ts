import type { Hex } from '@farebox/ledger'
import { encodeFunctionData, parseAbi } from 'viem'

const abi = parseAbi(['function balanceOf(address) view returns (uint256)'])

/** The call of a token that returns what an account holds. */
export function balanceCall(account: Hex): Hex {
  return encodeFunctionData({ abi, functionName: 'balanceOf', args: [account] })
}
