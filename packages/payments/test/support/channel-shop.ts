import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Devnet, payerAccount } from '@farebox/devnet'
import { createMemoryStore, type LedgerStore } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { openPaywall, type Paywall, type PaywallOptions, sell } from '@farebox/payments/express'
import { toClientEvmSigner } from '@x402/evm'
import {
  BatchSettlementEvmScheme,
  type BatchSettlementEvmSchemeOptions,
} from '@x402/evm/batch-settlement/client'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import express from 'express'
import { createPublicClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { network } from './pay.ts'

/** What a request to a shop asks for: its ceiling, its cost, and how it ends. */
export type Order = {
  readonly ceiling: number
  readonly cost: number
  readonly kind?: 'json' | 'stream' | 'failure'
  readonly text?: string
}

export type ChannelShop = {
  readonly url: string
  readonly paywall: Paywall
  readonly store: LedgerStore
  /** How many orders were served. */
  served(): number
  close(): Promise<void>
}

/** A busy machine may take longer for a corrected call than its turn lasts otherwise. */
const patientTurns = { turnMs: 60_000, maxTurnWaitMs: 300_000 }

/** A shop that sells by both schemes, on a devnet. */
export async function openChannelShop(
  devnet: Devnet,
  options: Partial<PaywallOptions> & { readonly onServe?: () => Promise<void> } = {},
): Promise<ChannelShop> {
  const { store = createMemoryStore(), onServe, ...rest } = options
  let served = 0
  const paywall = openPaywall({
    network: 'devnet',
    rpcUrl: devnet.rpcUrl,
    treasuryKey: devnet.treasury.privateKey,
    relayerKey: devnet.relayer.privateKey,
    refundMinimum: atomicUsdc(1n),
    channels: { policy: patientTurns },
    ...rest,
    store,
  })
  // Nothing is sold before the contract's logs were read once.
  await paywall.channelRounds?.runOnce()
  const app = express().post(
    '/order',
    express.json(),
    sell<Order>(paywall, {
      description: 'An order',
      mimeType: 'application/json',
      price: ({ body }) => atomicUsdc(BigInt(body.ceiling)),
      async serve({ body }, response) {
        served += 1
        await onServe?.()
        const cost = atomicUsdc(BigInt(body.cost))
        if (body.kind === 'failure') throw new Error('the order failed')
        if (body.kind !== 'stream') return { cost, json: { text: body.text ?? '' } }
        response.type('text/plain')
        for (const word of ['a ', 'few ', 'words']) response.write(word)
        return { cost }
      },
    }),
  )
  // A client may be slower than the five seconds after which an idle connection ends.
  const server = createServer({ keepAliveTimeout: 0 }, app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/order`,
    paywall,
    store,
    served: () => served,
    async close() {
      server.close()
      server.closeAllConnections()
      await paywall.close()
    },
  }
}

export type StockClient = {
  readonly fetch: typeof fetch
  readonly scheme: BatchSettlementEvmScheme
  /** The payments it sent, latest last: one more than the orders for each correction. */
  readonly sent: string[]
}

/** An unmodified client of the stock packages; `bare` cannot read the chain. */
export function stockClient(
  devnet: Devnet,
  payer: number,
  options: BatchSettlementEvmSchemeOptions & {
    readonly bare?: boolean
    readonly send?: (request: Request) => Promise<Response>
  } = {},
): StockClient {
  const { bare = false, send = fetch, ...schemeOptions } = options
  const account = privateKeyToAccount(payerAccount(payer).privateKey)
  const chain = createPublicClient({ chain: baseSepolia, transport: http(devnet.rpcUrl) })
  const signer = bare ? account : toClientEvmSigner(account, chain)
  const scheme = new BatchSettlementEvmScheme(signer, schemeOptions)
  const sent: string[] = []
  const counting: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const header = request.headers.get('payment-signature')
    if (header !== null) sent.push(header)
    return await send(request)
  }
  const client = new x402Client().register(network.caip2, scheme)
  return { fetch: wrapFetchWithPayment(counting, client), scheme, sent }
}

export function orderInit(order: Order): RequestInit {
  const headers = { 'content-type': 'application/json' }
  return { method: 'POST', headers, body: JSON.stringify(order) }
}

/** The receipt of a response that was paid from a channel. */
export function receiptOf(response: Response): {
  readonly transaction: string
  readonly amount: string
  readonly charged: string
  readonly total: string
} {
  const header = response.headers.get('payment-response')
  if (header === null) throw new Error(`no receipt, but status ${response.status}`)
  const { transaction, amount = '', extra } = decodePaymentResponseHeader(header)
  const state = extra?.['channelState'] as { chargedCumulativeAmount: string }
  const charged = String(extra?.['chargedAmount'])
  return { transaction, amount, charged, total: state.chargedCumulativeAmount }
}

/** Every channel of a store. */
export async function channelsOf(store: LedgerStore) {
  const channels = []
  for await (const channel of store.exportChannels()) channels.push(channel)
  return channels
}
