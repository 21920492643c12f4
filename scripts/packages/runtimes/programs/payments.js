// Sells a route and buys from it on the devnet: what a seller of routes imports needs sockets and native modules.
import { createFareboxClient } from '@farebox/client'
import { createMemoryStore } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { openPaywall, paidHandler } from '@farebox/payments/fetch'
import { countTokens } from '@farebox/tokenizer/o200k_base'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

const { RPC_URL: rpcUrl, PAYER_KEY: key } = globalThis.process.env
const relayerKey = generatePrivateKey()
const { address } = privateKeyToAccount(relayerKey)
await fetch(rpcUrl, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'anvil_setBalance',
    params: [address, '0x8ac7230489e80000'],
  }),
})
const paywall = openPaywall({
  network: 'devnet',
  rpcUrl,
  treasuryKey: generatePrivateKey(),
  relayerKey,
  refundMinimum: atomicUsdc(1n),
  store: createMemoryStore(),
})
paywall.start()
const sell = paidHandler(paywall, {
  description: 'Your text in capitals',
  price: () => atomicUsdc(10_000n),
  async serve(request) {
    const text = (await request.text()).toUpperCase()
    return { response: new Response(text), cost: atomicUsdc(BigInt(countTokens(text))) }
  },
})
const farebox = createFareboxClient({
  baseUrl: 'http://shop.test',
  account: privateKeyToAccount(key),
  networks: ['base-sepolia'],
  fetch: (input, init) => sell(new Request(input, init)),
})
const response = await farebox.fetch('http://shop.test/shout', { method: 'POST', body: 'hello' })
const { transaction } = JSON.parse(atob(response.headers.get('payment-response')))
console.log(`${response.status} ${await response.text()} ${transaction.length}`)
await paywall.close()
process.exit(0)
