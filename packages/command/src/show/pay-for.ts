import { FareboxError } from '@farebox/client'
import { formatDecimal } from '@farebox/money'
import type { CommandIo } from '../terminal/command-io.ts'
import { printable } from '../terminal/printable.ts'
import type { Purse } from '../wallet/open-purse.ts'
import { unnamedPayment } from './unnamed-payment.ts'

/** Remembers the payment of a call as soon as it is known: the process may end at any time. */
export type Remember = (paymentId: string | undefined) => Promise<void>

/** Makes a paid call. If the call ends early, its payment is remembered and noted too. */
export async function payFor<Called>(
  purse: Purse,
  io: CommandIo,
  call: (remember: Remember) => Promise<Called>,
): Promise<Called> {
  const spentBefore = purse.client.spent()
  let known: string | undefined
  const remember: Remember = async (paymentId) => {
    if (paymentId === undefined || paymentId === known) return
    known = paymentId
    await purse.remember(paymentId)
  }
  try {
    const answer = await call(remember)
    if (known === undefined && purse.client.spent() > spentBefore) {
      io.note(unnamedPayment)
    }
    return answer
  } catch (error) {
    if (error instanceof FareboxError) await remember(error.paymentId)
    const sent = purse.client.spent() - spentBefore
    if (known !== undefined) {
      const look = `\`farebox payments ${printable(known)}\` shows its cost and refund.`
      io.note(`\nThe call did not finish. ${look}`)
    } else if (io.signal.aborted && sent > 0n) {
      const payment = `\nThe payment of ${formatDecimal(sent, 6)} USDC was sent.`
      io.note(`${payment} What the gateway does not bill is refunded to the wallet.`)
    }
    throw error
  }
}
