import { createMemoryStore } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { openTill, sell, type Till, type TillOptions } from '@farebox/payments/express'
import express, { type Express } from 'express'

type Wallet = Pick<TillOptions, 'rpcUrl' | 'treasuryKey' | 'relayerKey' | 'refundMinimum'>

export function openShoutingShop(wallet: Wallet): { till: Till; app: Express } {
  const till = openTill({ ...wallet, network: 'devnet', store: createMemoryStore() })
  const shout = sell<string>(till, {
    description: 'Your text in capitals, at most a tenth of a cent a letter',
    price: (request) => atomicUsdc(1_000n * BigInt(request.body.length)),
    async serve(request, response) {
      for (const word of request.body.split(' ')) response.write(`${word.toUpperCase()}!`)
      return { cost: atomicUsdc(400n * BigInt(request.body.length)) }
    },
  })
  return { till, app: express().post('/shout', express.text(), shout) }
}
