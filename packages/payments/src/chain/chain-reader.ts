import type { Hex, TransferProof } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { decodeFunctionResult, encodeFunctionData, type PublicClient, parseAbi } from 'viem'
import { balanceCall } from '../rpc/balance-call.ts'
import { readHeader } from '../rpc/block-header.ts'
import { ChainError } from '../rpc/chain-error.ts'
import { readCode } from '../rpc/read-code.ts'
import {
  ask,
  callContract,
  callForWord,
  createRpcClient,
  type RpcOptions,
} from '../rpc/rpc-client.ts'
import { readTokenControls } from '../rpc/token-controls.ts'
import { createAuthorizationSearch } from './authorization-search.ts'
import type { Block, ChainReader } from './chain.ts'
import { createDepositProof } from './deposit-proof.ts'
import { createHeadWatch } from './head-watch.ts'
import { lowerHex } from './hex.ts'
import { createPayerReads } from './payer-reads.ts'
import { createLogSearch } from './search-logs.ts'
import { createTransferSearch } from './transfer-search.ts'

export type ChainReaderOptions = RpcOptions & {
  /** How many blocks one log query spans; public nodes allow a few thousand. 2,000 by default. */
  readonly blocksPerQuery?: number
  /**
   * How far before the searched range to look for a nonce that is used without a log in the range.
   * 20,000 blocks by default.
   */
  readonly blocksBehind?: number
}

/**
 * Gas that a contract wallet may use to check a signature: the check is a part of a settlement, whose
 * gas is limited too. Passkey wallets need the most, about 350,000 without a precompile.
 */
const signatureGas = 500_000n

/** Reads the chain through an Ethereum JSON-RPC node. */
export function createChainReader(options: ChainReaderOptions): ChainReader {
  const client = createRpcClient(options)
  const searchLogs = createLogSearch(client, options.blocksPerQuery ?? 2_000)
  const readHead = createHeadWatch(client, options.freshMs ?? 0)
  const codeOf = (address: Hex): Promise<Hex | null> => readCode(client, address)
  const payerReads = new Map<Hex, ReturnType<typeof createPayerReads>>()
  function readPayer(asset: Hex, address: Hex): ReturnType<ReturnType<typeof createPayerReads>> {
    const read = payerReads.get(asset) ?? createPayerReads(client, asset)
    payerReads.set(asset, read)
    return read(address)
  }
  return {
    head: () => readHead(),
    authorizationUse: createAuthorizationSearch({
      client,
      searchLogs,
      readHead,
      blocksBehind: options.blocksBehind ?? 20_000,
    }),
    depositProof: createDepositProof(client),
    transfersOf: createTransferSearch(searchLogs),
    confirmationsOf: async (proof) =>
      await confirmationsOf(client, proof, await readHead(proof.block)),
    transactionOf: async (hash) => {
      const transaction = await ask(`transaction ${hash}`, () =>
        client.request({ method: 'eth_getTransactionByHash', params: [hash] }),
      )
      if (transaction === null) return null
      return { from: lowerHex(transaction.from), data: lowerHex(transaction.input) }
    },
    async balanceOf(asset, address) {
      const subject = `the balance of ${address}`
      const data = balanceCall(address)
      return atomicUsdc(await callForWord(client, { subject, to: asset, data }))
    },
    async payerOf(asset, address) {
      const { balance, hasCode } = await readPayer(asset, address)
      return { balance, code: hasCode ? await codeOf(address) : null }
    },
    nativeBalanceOf: (address) =>
      ask(`the balance of ${address}`, () => client.getBalance({ address })),
    tokenControls: (asset, account) => readTokenControls(client, asset, account),
    codeOf,
    hasCode: async (address) => (await codeOf(address)) !== null,
    gasPrice: () => ask('the gas price', () => client.getGasPrice()),
    acceptsSignature: (check) => acceptsSignature(client, check),
  }
}

const signatureAbi = parseAbi([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
])
/** https://eips.ethereum.org/EIPS/eip-1271 */
const accepted = '0x1626ba7e'

/** A node whose head is behind the proof's block does not know it, which proves nothing. */
async function confirmationsOf(
  client: PublicClient,
  proof: TransferProof,
  head: Block,
): Promise<number | 'gone'> {
  if (head.number < proof.block) {
    const reason = `the node's head is block ${head.number}`
    throw new ChainError(`block ${proof.block}`, { reason })
  }
  const block = await ask(`block ${proof.block}`, () => readHeader(client, proof.block))
  const isCanonical = block.hash === lowerHex(proof.blockHash)
  return isCanonical ? head.number - proof.block + 1 : 'gone'
}

async function acceptsSignature(
  client: PublicClient,
  { address, digest, signature }: { address: Hex; digest: Hex; signature: Hex },
): Promise<boolean> {
  const data = encodeFunctionData({
    abi: signatureAbi,
    functionName: 'isValidSignature',
    args: [digest, signature],
  })
  const subject = `whether ${address} accepts a signature`
  const outcome = await callContract(client, { subject, to: address, data, gas: signatureGas })
  if (outcome.status === 'reverted' || outcome.data.length < 66) return false
  const magicValue = decodeFunctionResult({
    abi: signatureAbi,
    functionName: 'isValidSignature',
    data: outcome.data,
  })
  return magicValue === accepted
}
