import { createMemoryStore } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { openPaywall, type Paywall, type PaywallOptions, sell } from '@farebox/payments/express'
import express, { type Express, type RequestHandler } from 'express'

type Wallet = Pick<PaywallOptions, 'rpcUrl' | 'treasuryKey' | 'relayerKey' | 'refundMinimum'>

const needsText: RequestHandler = ({ body }, response, next) => {
  if (body) next()
  else response.status(400).send('Send a text as text/plain.')
}

export function openShoutApp(wallet: Wallet): { paywall: Paywall; app: Express } {
  const paywall = openPaywall({ ...wallet, network: 'devnet', store: createMemoryStore() })
  paywall.start()
  const shout = sell<string>(paywall, {
    description: 'Your text in capitals, at most a tenth of a cent a letter',
    price: (request) => atomicUsdc(1_000n * BigInt(request.body.length)),
    async serve(request, response) {
      for (const word of request.body.split(' ')) response.write(`${word.toUpperCase()}!`)
      return { cost: atomicUsdc(400n * BigInt(request.body.length)) }
    },
  })
  return { paywall, app: express().post('/shout', express.text(), needsText, shout) }
}
