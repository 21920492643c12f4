import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { payerAccount } from '@farebox/devnet'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import type { Express } from 'express'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach } from 'vitest'
import { network } from '../support/pay.ts'

/** Serves apps for the length of a test. What is pushed to `ends` is called when the test is over. */
export function expressShop() {
  const ends: (() => void | Promise<void>)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
  })
  async function listen(app: Express): Promise<string> {
    const server = createServer(app)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ends.push(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  return { ends, listen }
}

/** The stock client's fetch, which pays as a payer of the devnet. */
export function payingFetch(payer: number): typeof fetch {
  const scheme = new ExactEvmScheme(privateKeyToAccount(payerAccount(payer).privateKey))
  return wrapFetchWithPayment(fetch, new x402Client().register(network.caip2, scheme))
}
