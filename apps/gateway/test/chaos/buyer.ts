import { toClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createPublicClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'
import type { Replica } from './replica.ts'

/** What became of one purchase, as its client saw it. */
export type Purchase = {
  readonly label: string
  readonly outcome: 'answered' | 'refunded' | 'spent' | 'given up'
}

/** `exact` signs a payment for each request; `channel` pays from a channel, with the stock client. */
export type Payment = 'exact' | 'channel'

export type BuyerOptions = {
  readonly privateKey: `0x${string}`
  readonly payment: Payment
  readonly rpcUrl: string
  readonly replicas: readonly Replica[]
  readonly random: () => number
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
    // A client that was restarted knows nothing of its channel.
    if (options.random() < 0.1) paying = payingFetch(options)
    const purchase = await buyOnce(label, { ...options, paying }).catch(() => undefined)
    if (purchase !== undefined) purchases.push(purchase)
  }
  return purchases
}

type Buyer = BuyerOptions & { readonly paying: typeof fetch }

/** The stock client, unmodified; it reads the chain when it knows nothing of its channel. */
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
  const send = options.payment === 'exact' ? await signOnce(options, body) : signEach(options, body)
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const outcome = await tryOnce(await anyUrl(options), send)
    if (outcome !== 'again') return { label, outcome }
    await new Promise((resolve) => setTimeout(resolve, 100 + random() * 400))
  }
  return { label, outcome: 'given up' }
}

function anyUrl({ replicas, random }: BuyerOptions): Promise<string> {
  const replica = replicas[Math.floor(random() * replicas.length)]
  if (replica === undefined) throw new RangeError('there are no replicas')
  return replica.url()
}

type Send = (url: string) => Promise<Response>

async function signOnce(options: Buyer, body: unknown): Promise<Send> {
  const account = privateKeyToAccount(options.privateKey)
  const url = await anyUrl(options)
  const signed = await signPayment({ url, account: () => account }, 0, { body })
  const headers = options.random() < 0.5 ? signed.v2 : signed.v1
  return (at) => post({ url: at }, chatPath, { body, headers })
}

function signEach({ paying }: Buyer, body: unknown): Send {
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }
  return (at) => paying(at + chatPath, init)
}

async function tryOnce(url: string, send: Send): Promise<Purchase['outcome'] | 'again'> {
  try {
    const response = await send(url)
    const text = await response.text()
    if (response.status === 200) {
      // A stream that was cut by a crash ends without its mark: ask again for what became of it.
      const cut = text.startsWith('data: ') && !text.includes('[DONE]') && !text.includes('"error"')
      return cut ? 'again' : 'answered'
    }
    if (response.status === 400) return 'spent'
    if (response.headers.has('retry-after')) return 'again'
    return text.includes('refunded') ? 'refunded' : 'again'
  } catch {
    return 'again'
  }
}
