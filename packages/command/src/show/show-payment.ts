import type { PaymentBody } from '@farebox/api'
import { FareboxError } from '@farebox/client'
import { type CommandIo, colored } from '../terminal/command-io.ts'
import { printable } from '../terminal/printable.ts'
import type { Purse } from '../wallet/open-purse.ts'
import { costLine } from './payment-lines.ts'

/**
 * Notes what a finished call cost; on a devnet, once it is refunded. Returns the payment's record:
 * `undefined` if it cannot be read now, which must not lose the answer.
 */
export async function showPayment(
  purse: Purse,
  paymentId: string | undefined,
  io: CommandIo,
): Promise<PaymentBody | undefined> {
  if (paymentId === undefined) return undefined
  try {
    const payment = purse.isDevnet
      ? await refunded(purse, paymentId, io.signal)
      : await purse.client.payment(paymentId, { signal: io.signal })
    io.note(colored(io, 'green', costLine(payment)))
    return payment
  } catch (error) {
    if (!(error instanceof FareboxError || io.signal.aborted)) throw error
    const why = error instanceof FareboxError ? ` ${error.message}` : ''
    const note = `The cost is not known yet.${why} \`farebox payments ${paymentId}\` shows it.`
    io.note(printable(note))
    return undefined
  }
}

async function refunded(
  { client }: Purse,
  paymentId: string,
  signal: AbortSignal,
): Promise<PaymentBody> {
  try {
    return await client.waitForRefund(paymentId, { timeoutSeconds: 10, signal })
  } catch (error) {
    if (!(error instanceof FareboxError) || error.code !== 'refund_pending') throw error
    return await client.payment(paymentId, { signal })
  }
}
