/**
 * The EIP-712 fields of an authorization, copied from EIP-3009 and not from the packages, so that tests
 * do not repeat their mistakes. Source: https://eips.ethereum.org/EIPS/eip-3009
 */
export const authorizationFields = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const
