import { FareboxError } from '../farebox-error.ts'
import { orAborted } from './or-aborted.ts'
import type { PaymentSigner, TypedData } from './payment-signer.ts'

/** A signer with a time limit. */
export type Wallet = {
  readonly address: `0x${string}`
  /**
   * Asks for a signature. Throws the signal's reason once it is aborted, `signature_timeout`, or
   * `no_acceptable_payment` if the wallet refuses. A signature that comes later is not used.
   */
  sign(message: TypedData, signal: AbortSignal | undefined): Promise<`0x${string}`>
}

/** Creates a wallet whose owner has this long to sign. */
export function createWallet(signer: PaymentSigner, limitMs: number): Wallet {
  return {
    address: signer.address,
    async sign(message, signal) {
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<never>((_, reject) => {
        const problem = `The wallet did not sign within ${limitMs / 1_000} s. Nothing was paid.`
        timer = setTimeout(() => reject(new FareboxError('signature_timeout', problem)), limitMs)
      })
      const signature = Promise.race([askSigner(signer, message), late])
      return await orAborted(signature, signal).finally(() => clearTimeout(timer))
    },
  }
}

async function askSigner(signer: PaymentSigner, message: TypedData): Promise<`0x${string}`> {
  try {
    return await signer.signTypedData(message)
  } catch (cause) {
    // The first line alone: the others of viem's errors repeat the request, and the address of a node.
    const reason = cause instanceof Error ? `: ${cause.message.split('\n')[0]}` : '.'
    const message = `The payment could not be signed${reason}`
    throw new FareboxError('no_acceptable_payment', message, { cause })
  }
}
