import type { Hex } from '@farebox/ledger'

/** A number as JSON-RPC has it. */
export function quantity(number: number | bigint): Hex {
  return `0x${number.toString(16)}`
}
