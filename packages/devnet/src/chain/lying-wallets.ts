import { concat, type Hex, numberToHex } from 'viem'

/** Returns the magic value of ERC-1271. */
const agree: Hex = `0x7f1626ba7e${'00'.repeat(28)}60005260206000f3`
const gasPerRound = 26

/** Counts down, which uses about so much gas. It begins at the first byte of a contract. */
function burn(gas: number): Hex {
  const rounds = numberToHex(Math.ceil(gas / gasPerRound), { size: 3 })
  // PUSH3 rounds; JUMPDEST; PUSH1 1; SWAP1; SUB; DUP1; PUSH1 4; JUMPI; POP
  return concat(['0x62', rounds, '0x5b600190038060045750'])
}

/** Agrees if the top of the stack is not zero, else uses up all gas that is left. */
function agreeIf(head: Hex): Hex {
  const start = (head.length - 2) / 2
  // PUSH1 after; JUMPI; INVALID; JUMPDEST
  return concat([head, '0x60', numberToHex(start + 4, { size: 1 }), '0x57fe5b', agree])
}

/** Code of a wallet (ERC-1271) that agrees with any signature, after it has used about `gas`. */
export function burningWallet(gas: number): Hex {
  return concat([burn(gas), agree])
}

/**
 * Code of a wallet (ERC-1271) that uses about `gas` and agrees with any signature while the gas price
 * is zero, as in most simulations. In a transaction it uses up the rest of the gas.
 */
export function flippingWallet(gas: number): Hex {
  // GASPRICE; ISZERO
  return agreeIf(concat([burn(gas), '0x3a15']))
}

/**
 * Code of a wallet (ERC-1271) that agrees with any signature up to block `last`. In later blocks it
 * uses up the rest of the gas.
 */
export function expiringWallet(last: number): Hex {
  // PUSH4 last; NUMBER; GT; ISZERO
  return agreeIf(concat(['0x63', numberToHex(last, { size: 4 }), '0x431115']))
}
