// The proxy of express-proxy.ts behind the stock middleware of @x402/express, with a facilitator in
// its process: one that says yes at once, or the stock one, which settles on the chain.
import { createDevnetFacilitator } from '@farebox/devnet/faults'
import type { FacilitatorClient } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { paymentMiddleware, x402ResourceServer } from '@x402/express'
import express from 'express'
import type { Hex } from 'viem'
import { announce } from './announce.ts'
import { forward } from './forward.ts'

const network = 'eip155:84532'
const [, , upstream = '', kind = ''] = process.argv
const {
  RPC_URL: rpcUrl = '',
  RELAYER_PRIVATE_KEY: relayerKey = '',
  PAY_TO: payTo = '',
} = process.env

const supported = {
  kinds: [{ x402Version: 2, scheme: 'exact', network }],
  extensions: [],
  signers: {},
} as const

const instant: FacilitatorClient = {
  verify: async () => ({ isValid: true }),
  settle: async () => ({ success: true, transaction: `0x${'1'.repeat(64)}`, network }),
  getSupported: async () => ({ ...supported, kinds: [...supported.kinds], extensions: [] }),
}

function settling(): FacilitatorClient {
  const facilitator = createDevnetFacilitator({ rpcUrl, relayerKey: relayerKey as Hex })
  return {
    verify: (payload, requirements) => facilitator.verify(payload, requirements),
    settle: (payload, requirements) => facilitator.settle(payload, requirements),
    getSupported: instant.getSupported,
  }
}

const resources = new x402ResourceServer(kind === 'settling' ? settling() : instant).register(
  network,
  new ExactEvmScheme(),
)
const accepts = { scheme: 'exact', network, payTo, price: '$0.001' } as const
const app = express()
app.use(paymentMiddleware({ 'POST /v1/chat/completions': { accepts } }, resources))
app.use(express.json())
app.post('/v1/chat/completions', forward(upstream))
const server = app.listen(0, '127.0.0.1', () => {
  announce(server)
})
