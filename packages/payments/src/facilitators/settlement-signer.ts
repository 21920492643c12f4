import type { Hex } from '@farebox/ledger'
import type { FacilitatorEvmSigner } from '@x402/evm'
import { encodeFunctionData, type PublicClient } from 'viem'
import { ChainError } from '../chain/chain-error.ts'
import { hexToBytes, lowerHex, parseHexOf } from '../chain/hex.ts'
import { revertMessage } from '../chain/rpc-client.ts'
import type { TransactionQueue } from '../relayer/transaction-queue.ts'
import { parseKeySignature } from '../signature/key-signature.ts'
import type { RecoverSigner } from '../signature/recover-signer.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'

/** What one settlement came to so far. Written by its signer, read when the outcome is judged. */
export type SettlementAttempt = {
  /** The transfer, from the moment that a node may have it. */
  transaction: Hex | null
  /** Why the chain could not be asked or written to, when that was so. */
  fault: 'rpc_down' | 'no_gas' | 'fee_cap' | null
  /** The transfer would have reverted, and was not sent. */
  reverts: boolean
}

type SettlementSignerParts = {
  readonly client: PublicClient
  readonly queue: TransactionQueue
  readonly payment: SignedPayment
  readonly recoverSigner: RecoverSigner
  readonly attempt: SettlementAttempt
  readonly confirmationTimeoutMs: number
}

/**
 * The signer of one settlement for the x402 facilitator scheme. It throws only when nothing was
 * sent; an unclear broadcast returns its hash, so that the wait for the receipt decides.
 */
export function createSettlementSigner(parts: SettlementSignerParts): FacilitatorEvmSigner {
  const { queue, attempt } = parts
  const payer = createPayerCode(parts)

  async function send(call: { readonly to: Hex; readonly data: Hex }): Promise<Hex> {
    const outcome = await queue.send(call)
    switch (outcome.status) {
      case 'sent':
      case 'unknown':
        return outcome.transaction
      case 'reverts':
        attempt.reverts = true
        throw new Error(outcome.message)
      case 'unavailable':
        attempt.fault = outcome.reason
        throw new ChainError(`whether it takes the settlement: ${outcome.reason}`)
    }
  }

  return {
    getAddresses: () => [queue.relayer],
    getCode: payer.getCode,
    readContract: payer.readContract,
    // The scheme judges signatures by code and contract call alone; if ever asked, fail closed.
    verifyTypedData: async () => false,
    async writeContract({ address, abi, functionName, args, dataSuffix }) {
      const data = encodeFunctionData({ abi, functionName, args })
      const call = `${data}${(dataSuffix ?? '0x').slice(2)}` as const
      attempt.transaction = await send({ to: address, data: call })
      return attempt.transaction
    },
    sendTransaction: ({ to, data }) => send({ to, data }),
    async waitForTransactionReceipt({ hash }) {
      const receipt = await queue.receiptOf(hash, parts.confirmationTimeoutMs)
      if (receipt === undefined) throw new ChainError(`what became of ${hash}`)
      if (attempt.transaction === hash) attempt.transaction = receipt.transactionHash
      return { status: receipt.status, logs: receipt.logs }
    },
  }
}

/** What stands for the code of a payer who has none but a key: an invalid instruction. */
const keyCode: Hex = '0xfe'
/** https://eips.ethereum.org/EIPS/eip-1271 */
const accepted: Hex = '0x1626ba7e'
const refused: Hex = '0xffffffff'

/**
 * How the scheme sees the payer. A key's signature it would recover in JavaScript, the dearest step
 * of a settlement; shown code, it asks the payer for a verdict instead, as it asks any contract
 * wallet, and gets the one of the native recovery on the scheme's own digest.
 */
function createPayerCode({
  client,
  queue,
  payment,
  recoverSigner,
  attempt,
}: SettlementSignerParts): Pick<FacilitatorEvmSigner, 'getCode' | 'readContract'> {
  const payer = payment.authorization.from
  const signature = parseKeySignature(payment.signature)
  let known: Promise<Hex | undefined> | undefined

  /** The scheme takes a silent node for a refusal; here it is noted for what it is. */
  function noteFault(error: unknown): void {
    if (revertMessage(error) === undefined) attempt.fault = 'rpc_down'
  }

  async function readCode(address: Hex): Promise<Hex | undefined> {
    try {
      return await client.getCode({ address })
    } catch (error) {
      // Thrown on, this would end as a rejection that the scheme leaves unhandled.
      noteFault(error)
      return undefined
    }
  }

  async function codeOfPayer(): Promise<Hex | undefined> {
    known ??= readCode(payer)
    const code = await known
    return signature !== undefined && (code ?? '0x') === '0x' ? keyCode : code
  }

  async function verdict([hash, bytes]: readonly unknown[]): Promise<Hex> {
    const digest = parseHexOf(32, hash)
    const asked = parseHexOf(65, bytes)
    const key = asked === undefined ? undefined : parseKeySignature(asked)
    if (digest === undefined || key === undefined) return refused
    return (await recoverSigner(hexToBytes(digest), key)) === payer ? accepted : refused
  }

  return {
    getCode: ({ address }) => (lowerHex(address) === payer ? codeOfPayer() : readCode(address)),
    async readContract(args) {
      const asksPayer = args.functionName === 'isValidSignature' && lowerHex(args.address) === payer
      if (asksPayer && (await codeOfPayer()) === keyCode) return await verdict(args.args ?? [])
      try {
        return await client.readContract({ ...args, account: queue.relayer })
      } catch (error) {
        noteFault(error)
        throw error
      }
    },
  }
}
