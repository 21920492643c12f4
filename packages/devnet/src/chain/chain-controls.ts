import { type Address, type Hex, numberToHex } from 'viem'
import type { JsonRpc } from '../anvil/json-rpc.ts'

/** Faults and clock of the chain; each function wraps a method of anvil. */
export type ChainControls = {
  /** Saves the whole state; `revert` restores it, once. */
  snapshot(): Promise<string>
  revert(id: string): Promise<void>
  setEthBalance(address: Address, wei: bigint): Promise<void>
  /** Mines `blocks` blocks now. */
  mine(blocks: number): Promise<void>
  /** `off`: transactions wait in the pool until `mine`. */
  setAutomine(on: 'on' | 'off'): Promise<void>
  /** Mines a block every `seconds`, even an empty one; 0 stops that. */
  setBlockTime(seconds: number): Promise<void>
  /** Moves the chain's clock forward and mines a block with the new time. */
  increaseTime(seconds: number): Promise<void>
  setNextBlockTimestamp(seconds: bigint): Promise<void>
  /** Drops a transaction that is still in the pool. */
  dropTransaction(hash: Hex): Promise<void>
  /** Replaces the last `depth` blocks with empty ones, which drops their transactions. */
  reorg(depth: number): Promise<void>
  /** Removes the last `depth` blocks: the chain becomes shorter. */
  rollback(depth: number): Promise<void>
  /** Installs code at an address, as an EIP-7702 delegation or a contract wallet would. */
  setCode(address: Address, code: Hex): Promise<void>
}

/** Whether a transaction is mined as soon as it is sent. */
export type Mining = { current: 'auto' | 'interval' | 'manual' }

export function createChainControls(rpc: JsonRpc, mining: Mining): ChainControls {
  return {
    snapshot: async () => await rpc<string>('evm_snapshot', []),
    async revert(id) {
      await rpc('evm_revert', [id])
    },
    async setEthBalance(address, wei) {
      await rpc('anvil_setBalance', [address, numberToHex(wei)])
    },
    async mine(blocks) {
      await rpc('anvil_mine', [numberToHex(blocks)])
    },
    async setAutomine(on) {
      await rpc('evm_setAutomine', [on === 'on'])
      mining.current = on === 'on' ? 'auto' : 'manual'
    },
    async setBlockTime(seconds) {
      await rpc('evm_setIntervalMining', [seconds])
      mining.current = seconds === 0 ? 'manual' : 'interval'
    },
    async increaseTime(seconds) {
      await rpc('evm_increaseTime', [numberToHex(seconds)])
      await rpc('anvil_mine', ['0x1'])
    },
    async setNextBlockTimestamp(seconds) {
      await rpc('evm_setNextBlockTimestamp', [numberToHex(seconds)])
    },
    async dropTransaction(hash) {
      await rpc('anvil_dropTransaction', [hash])
    },
    async reorg(depth) {
      await rpc('anvil_reorg', [depth, []])
    },
    async rollback(depth) {
      await rpc('anvil_rollback', [depth])
    },
    async setCode(address, code) {
      await rpc('anvil_setCode', [address, code])
    },
  }
}
