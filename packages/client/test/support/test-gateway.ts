import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Devnet } from '@farebox/devnet'
import { createDevnetFacilitator } from '@farebox/devnet/faults'
import {
  decodePaymentSignatureHeader,
  encodePaymentRequiredHeader,
  encodePaymentResponseHeader,
} from '@x402/core/http'
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types'

type Arrival = {
  readonly path: string
  readonly body: string
  /** The PAYMENT-SIGNATURE header. */
  readonly signature: string | undefined
}

/** Responds to one request; unpaid requests to a paid path never reach a script. */
export type Script = (response: ServerResponse, arrival: Arrival) => Promise<void> | void

export type TestGateway = {
  readonly url: string
  readonly arrivals: readonly Arrival[]
  /** The offers of the challenge; by default 1,000 units of the devnet's USDC. */
  offers: readonly PaymentRequirements[]
  /** Scripts of the next paid requests, in order; the last one is reused. */
  paid: readonly Script[]
  /** Scripts of free paths. */
  free: Readonly<Record<string, Script>>
  /** Settles the payment of an arrival on the devnet; returns the response headers. */
  settle(arrival: Arrival): Promise<Readonly<Record<string, string>>>
  stop(): Promise<void>
}

export function usdcOffer(devnet: Devnet, amount = '1000'): PaymentRequirements {
  return {
    scheme: 'exact',
    network: 'eip155:84532',
    amount,
    asset: devnet.usdc,
    payTo: devnet.treasury.address,
    maxTimeoutSeconds: 300,
    extra: { name: 'USDC', version: '2' },
  }
}

/** An HTTP server that asks for payments like the gateway and responds from scripts. */
export async function startTestGateway(devnet: Devnet): Promise<TestGateway> {
  const facilitator = createDevnetFacilitator({
    rpcUrl: devnet.rpcUrl,
    relayerKey: devnet.relayer.privateKey,
  })
  const arrivals: Arrival[] = []

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrival = await readArrival(request)
    arrivals.push(arrival)
    const script = gateway.free[arrival.path] ?? paidScript(arrival)
    await script(response, arrival)
  }

  function paidScript(arrival: Arrival): Script {
    if (arrival.signature === undefined) return (response) => challenge(response, gateway.offers)
    const [next, ...rest] = gateway.paid
    if (rest.length > 0) gateway.paid = rest
    if (next === undefined) throw new Error('no script for a paid request')
    return next
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const gateway: TestGateway = {
    url: `http://127.0.0.1:${address.port}`,
    arrivals,
    offers: [usdcOffer(devnet)],
    paid: [],
    free: {},
    async settle({ signature }) {
      const payload = decodePaymentSignatureHeader(signature ?? '')
      const result = await facilitator.settle(payload, payload.accepted)
      return {
        'payment-response': encodePaymentResponseHeader({
          ...result,
          amount: payload.accepted.amount,
        }),
        'x-payment-id': 'pay_1',
      }
    },
    stop: async () =>
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return gateway
}

async function readArrival(request: IncomingMessage): Promise<Arrival> {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise((resolve) => request.once('end', resolve))
  const signature = request.headers['payment-signature']
  return {
    path: request.url ?? '',
    body: Buffer.concat(chunks).toString('utf8'),
    signature: typeof signature === 'string' ? signature : undefined,
  }
}

export function challenge(
  response: ServerResponse,
  accepts: readonly PaymentRequirements[],
  message = 'Pay to use this resource.',
): void {
  const required: PaymentRequired = {
    x402Version: 2,
    resource: { url: 'http://gateway.test/v1/chat/completions' },
    accepts: [...accepts],
  }
  response.setHeader('payment-required', encodePaymentRequiredHeader(required))
  json(response, 402, {
    statusCode: 402,
    error: 'Payment Required',
    message,
    x402Version: 1,
    accepts: [],
  })
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
