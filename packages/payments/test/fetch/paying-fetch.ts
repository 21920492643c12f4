import { payerAccount } from '@farebox/devnet'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { network } from '../support/pay.ts'

/** A stock client of a payer, whose requests `send` sends. */
export function payingFetch(payer: number, send: typeof fetch): typeof fetch {
  const scheme = new ExactEvmScheme(privateKeyToAccount(payerAccount(payer).privateKey))
  return wrapFetchWithPayment(send, new x402Client().register(network.caip2, scheme))
}
