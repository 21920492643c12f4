import { toClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createPublicClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { nonceOf } from '../support/cancel-payment.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'
import type { Replica } from './replica.ts'

/** What became of one purchase, as its client saw it. */
export type Purchase = {
  readonly label: string
  readonly outcome: 'answered' | 'broken off' | 'refunded' | 'canceled' | 'spent' | 'given up'
  /** The nonce of the authorization that paid for it; undefined for a call of a channel. */
  readonly nonce: Hex | undefined
}

/** `exact` signs a payment for each request; `channel` pays from a channel, with the stock client. */
export type Payment = 'exact' | 'channel'

export type BuyerOptions = {
  readonly privateKey: `0x${string}`
  readonly payment: Payment
  readonly rpcUrl: string
  readonly replicas: readonly Replica[]
  readonly random: () => number
  /** Cancels an authorization in front of its settlement. Buyers try this with some payments. */
  readonly cancel?: ((nonce: Hex) => Promise<void>) | undefined
  /** Ends the buyer between two purchases, after the first. */
  readonly done: AbortSignal
}

/** Buys until `done` aborts; repeats a request with the same authorization until it is decided. */
export async function buyUntilDone(
  name: string,
  options: BuyerOptions,
): Promise<readonly Purchase[]> {
  const purchases: Purchase[] = []
  let paying = payingFetch(options)
  // At least once, on a busy machine too: replicas may be killed faster than they sell.
  while (!options.done.aborted || purchases.length === 0) {
    const label = `${name}-${purchases.length}`
    // A client that was restarted has no record of its channel.
    if (options.random() < 0.1) paying = payingFetch(options)
    const purchase = await buyOnce(label, { ...options, paying }).catch(() => undefined)
    if (purchase !== undefined) purchases.push(purchase)
  }
  return purchases
}

type Buyer = BuyerOptions & { readonly paying: typeof fetch }

/** The stock client, unmodified; it reads the chain when it has no record of its channel. */
function payingFetch({ privateKey, rpcUrl }: BuyerOptions): typeof fetch {
  const chain = createPublicClient({ chain: baseSepolia, transport: http(rpcUrl) })
  const signer = toClientEvmSigner(privateKeyToAccount(privateKey), chain)
  const client = new x402Client().register('eip155:84532', new BatchSettlementEvmScheme(signer))
  return wrapFetchWithPayment(fetch, client)
}

async function buyOnce(label: string, options: Buyer): Promise<Purchase> {
  const { random } = options
  const stream = random() < 0.5
  const body = {
    model: 'openai/gpt-4.1-mini',
    messages: [
      { role: 'user', content: `[[sandbox: label=${label} tokens=30 tokens_per_second=150]]` },
    ],
    max_tokens: 3000,
    stream,
  }
  const { send, nonce } =
    options.payment === 'exact' ? await signOnce(options, body) : signEach(options, body)
  const cheats = options.cancel !== undefined && nonce !== undefined && random() < 0.3
  if (cheats) void cancelSoon(options, nonce)
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const outcome = await tryOnce(await anyUrl(options), send)
    if (outcome === 'rejected' && cheats) return { label, nonce, outcome: 'canceled' }
    if (outcome !== 'again' && outcome !== 'rejected') return { label, nonce, outcome }
    await new Promise((resolve) => setTimeout(resolve, 100 + random() * 400))
  }
  return { label, nonce, outcome: 'given up' }
}

/** Cancels a payment while it settles, or a little late. */
async function cancelSoon({ random, cancel }: Buyer, nonce: Hex): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, random() * 1_000))
  await cancel?.(nonce).catch(() => undefined)
}

function anyUrl({ replicas, random }: BuyerOptions): Promise<string> {
  const replica = replicas[Math.floor(random() * replicas.length)]
  if (replica === undefined) throw new RangeError('there are no replicas')
  return replica.url()
}

type Signed = {
  readonly send: (url: string) => Promise<Response>
  readonly nonce: Hex | undefined
}

async function signOnce(options: Buyer, body: unknown): Promise<Signed> {
  const account = privateKeyToAccount(options.privateKey)
  const url = await anyUrl(options)
  const signed = await signPayment({ url, account: () => account }, 0, { body })
  const headers = options.random() < 0.5 ? signed.v2 : signed.v1
  const send = (at: string): Promise<Response> => post({ url: at }, chatPath, { body, headers })
  return { send, nonce: nonceOf(signed.v2) }
}

function signEach({ paying }: Buyer, body: unknown): Signed {
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }
  return { send: (at) => paying(at + chatPath, init), nonce: undefined }
}

async function tryOnce(
  url: string,
  send: Signed['send'],
): Promise<Purchase['outcome'] | 'rejected' | 'again'> {
  try {
    const response = await send(url)
    const text = await response.text()
    if (response.status === 200) {
      if (!text.startsWith('data: ') || text.includes('[DONE]')) return 'answered'
      // A stream that was cut by a crash ends without its mark: ask again for what became of it.
      return text.includes('"error"') ? 'broken off' : 'again'
    }
    if (response.status === 400) return 'spent'
    if (response.headers.has('retry-after')) return 'again'
    if (response.status === 402) return 'rejected'
    return text.includes('refunded') ? 'refunded' : 'again'
  } catch {
    return 'again'
  }
}
