import type { Hex } from '@farebox/ledger'
import type { FacilitatorEvmSigner } from '@x402/evm'
import { encodeFunctionData, type PublicClient } from 'viem'
import { ChainError } from '../chain/chain-error.ts'
import { hexToBytes, lowerHex, parseHexOf } from '../chain/hex.ts'
import { revertMessage } from '../chain/rpc-client.ts'
import type { SettlementGas } from '../policy/payment-policy.ts'
import type { TransactionCall } from '../relayer/transaction-call.ts'
import type { TransactionQueue } from '../relayer/transaction-queue.ts'
import { parseKeySignature } from '../signature/key-signature.ts'
import type { RecoverSigner } from '../signature/recover-signer.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'

/** The state of one settlement. Written by its signer, read when the outcome is judged. */
export type SettlementAttempt = {
  /** The transfer, from the moment a node may have it. */
  transaction: Hex | null
  /** Why the chain could not be read or written to, if so. */
  fault: 'rpc_down' | 'no_gas' | 'fee_cap' | null
  /** The transfer would have reverted and was not sent. */
  reverts: boolean
  /** The transfer was mined and failed. */
  reverted: boolean
}

type SettlementSignerParts = {
  readonly client: PublicClient
  readonly queue: TransactionQueue
  readonly payment: SignedPayment
  readonly recoverSigner: RecoverSigner
  readonly attempt: SettlementAttempt
  readonly confirmationTimeoutMs: number
  readonly settlementGas: SettlementGas
}

/**
 * The signer of one settlement for the x402 facilitator scheme. It throws only when nothing was
 * sent; an unclear broadcast returns its hash, so that the wait for the receipt decides.
 */
export function createSettlementSigner(parts: SettlementSignerParts): FacilitatorEvmSigner {
  const { queue, attempt } = parts
  const payer = createPayerCode(parts)

  async function send(call: TransactionCall): Promise<Hex> {
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
        throw new Error(`The settlement could not be sent: ${outcome.reason}`)
    }
  }

  return {
    getAddresses: () => [queue.relayer],
    getCode: payer.getCode,
    readContract: payer.readContract,
    // The scheme checks signatures by code and contract call alone; if it ever calls this, fail closed.
    verifyTypedData: async () => false,
    async writeContract({ address, abi, functionName, args, dataSuffix }) {
      const data = encodeFunctionData({ abi, functionName, args })
      const call = `${data}${(dataSuffix ?? '0x').slice(2)}` as const
      const gasLimit = parts.settlementGas[(await payer.hasKey()) ? 'key' : 'wallet']
      attempt.transaction = await send({ to: address, data: call, gasLimit })
      return attempt.transaction
    },
    sendTransaction: ({ to, data }) => send({ to, data }),
    async waitForTransactionReceipt({ hash }) {
      const receipt = await queue.receiptOf(hash, parts.confirmationTimeoutMs)
      if (receipt === undefined) {
        throw new ChainError(`the receipt of ${hash}`, { reason: 'it was not mined in time' })
      }
      if (attempt.transaction === hash) {
        attempt.transaction = receipt.transactionHash
        attempt.reverted = receipt.status === 'reverted'
      }
      return { status: receipt.status, logs: receipt.logs }
    },
  }
}

/** Stands for the code of a payer who only has a key: an invalid instruction. */
const keyCode: Hex = '0xfe'
/** https://eips.ethereum.org/EIPS/eip-1271 */
const accepted: Hex = '0x1626ba7e'
const notAccepted: Hex = '0xffffffff'

type PayerCode = Pick<FacilitatorEvmSigner, 'getCode' | 'readContract'> & {
  /** Whether the payer has no code, so that the token checks its signature alone. */
  hasKey(): Promise<boolean>
}

/**
 * How the scheme sees the payer. It would recover a key's signature in JavaScript, the most expensive
 * step of a settlement. If the payer seems to have code, it calls the payer instead, as it calls any
 * contract wallet, and gets the result of native recovery on the scheme's own digest.
 */
function createPayerCode({
  client,
  queue,
  payment,
  recoverSigner,
  attempt,
}: SettlementSignerParts): PayerCode {
  const payer = payment.authorization.from
  const signature = parseKeySignature(payment.signature)
  let known: Promise<Hex | undefined> | undefined

  /** The scheme takes a node that does not answer for a rejection; here it is recorded as a fault. */
  function noteFault(error: unknown): void {
    if (revertMessage(error) === undefined) attempt.fault = 'rpc_down'
  }

  async function readCode(address: Hex): Promise<Hex | undefined> {
    try {
      return await client.getCode({ address })
    } catch (error) {
      // Rethrown, this would become a promise rejection that the scheme leaves unhandled.
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
    if (digest === undefined || key === undefined) return notAccepted
    return (await recoverSigner(hexToBytes(digest), key)) === payer ? accepted : notAccepted
  }

  return {
    hasKey: async () => (await codeOfPayer()) === keyCode,
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
