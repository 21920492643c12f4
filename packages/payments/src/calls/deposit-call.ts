import type { ChannelConfig, Hex } from '@farebox/ledger'
import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem'
import { channelContract, depositCollector } from '../chain/addresses.ts'

/** The configuration of a channel, as the contract declares it. */
export const channelConfigStruct =
  'struct ChannelConfig { address payer; address payerAuthorizer; address receiver; address receiverAuthorizer; address token; uint40 withdrawDelay; bytes32 salt; }'

const channelAbi = parseAbi([
  channelConfigStruct,
  'function deposit(ChannelConfig config, uint128 amount, address collector, bytes collectorData)',
])

const collectorParameters = parseAbiParameters(
  'uint256 validAfter, uint256 validBefore, uint256 salt, bytes signature',
)

type AuthorizedDeposit = {
  readonly config: ChannelConfig
  readonly amount: bigint
  readonly validAfter: number
  readonly validBefore: number
  readonly salt: Hex
  readonly signature: Hex
}

/** The call that brings an authorized deposit into its channel. Anyone may make it. */
export function depositCall(deposit: AuthorizedDeposit): { readonly to: Hex; readonly data: Hex } {
  const { config, amount, salt, signature } = deposit
  const [validAfter, validBefore] = [BigInt(deposit.validAfter), BigInt(deposit.validBefore)]
  const signed = [validAfter, validBefore, BigInt(salt), signature] as const
  const collectorData = encodeAbiParameters(collectorParameters, signed)
  const args = [config, amount, depositCollector, collectorData] as const
  const data = encodeFunctionData({ abi: channelAbi, functionName: 'deposit', args })
  return { to: channelContract, data }
}
