// `@farebox/payments` alone: any Express route, at a price that depends on the request.
import { createMemoryStore } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { openPaywall, sell } from '@farebox/payments/express'
import express, { type RequestHandler } from 'express'
import { readDevnetKeys } from './devnet-keys.ts'

const { rpcUrl, treasury, relayer } = readDevnetKeys(process.argv[2])
const paywall = openPaywall({
  network: 'devnet',
  rpcUrl,
  treasuryKey: treasury.privateKey,
  relayerKey: relayer.privateKey,
  // A restart loses this ledger: use `openLedger` in production.
  store: createMemoryStore(),
})
paywall.start()

const shout = sell<string>(paywall, {
  description: 'Your text in capitals, at most a tenth of a cent a letter',
  price: (request) => atomicUsdc(1_000n * BigInt(request.body.length)),
  async serve(request, response) {
    for (const word of request.body.split(' ')) response.write(`${word.toUpperCase()}! `)
    return { cost: atomicUsdc(400n * BigInt(request.body.length)) }
  },
})

// What cannot be served is refused before it is paid for.
const needsText: RequestHandler = ({ body }, response, next) => {
  if (body) next()
  else response.status(400).send('Send a text as text/plain.')
}

const port = Number(process.env['PORT'] ?? 4030)
const server = express()
  .post('/shout', express.text(), needsText, shout)
  .listen(port, '127.0.0.1', () => {
    const address = server.address()
    console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : port}/shout`)
  })
