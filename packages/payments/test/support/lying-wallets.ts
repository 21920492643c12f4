import { randomBytes } from 'node:crypto'
import type { Devnet, DevnetAccount } from '@farebox/devnet'
import { concat, type Hex, numberToHex, toHex } from 'viem'

/** Returns the magic value of ERC-1271. */
const agree: Hex = `0x7f1626ba7e${'00'.repeat(28)}60005260206000f3`
const gasPerRound = 26

/** Counts down, which uses about so much gas. It begins at the first byte of a contract. */
function burn(gas: number): Hex {
  const rounds = numberToHex(Math.ceil(gas / gasPerRound), { size: 3 })
  // PUSH3 rounds; JUMPDEST; PUSH1 1; SWAP1; SUB; DUP1; PUSH1 4; JUMPI; POP
  return concat(['0x62', rounds, '0x5b600190038060045750'])
}

/** Agrees with any signature, after it has used so much gas. */
export function burningWallet(gas: number): Hex {
  return concat([burn(gas), agree])
}

/** Uses gas, agrees while the gas price is zero, as in a simulation, and else uses up the rest. */
export function flippingWallet(gas: number): Hex {
  const head = burn(gas)
  const start = (head.length - 2) / 2
  // GASPRICE; ISZERO; PUSH1 after; JUMPI; INVALID; JUMPDEST
  return concat([head, '0x3a1560', numberToHex(start + 6, { size: 1 }), '0x57fe5b', agree])
}

/** Delegates an account to a contract with this code (EIP-7702). */
export async function delegateTo(
  devnet: Devnet,
  { address }: DevnetAccount,
  code: Hex,
): Promise<Hex> {
  const wallet = toHex(randomBytes(20))
  await devnet.setCode(wallet, code)
  const delegation = concat(['0xef0100', wallet])
  await devnet.setCode(address, delegation)
  return delegation
}
