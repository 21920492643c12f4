import { privateKeyToAccount } from 'viem/accounts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'
import type { Replica } from './replica.ts'

/** What became of one purchase, as its client saw it. */
export type Purchase = {
  readonly label: string
  readonly outcome: 'answered' | 'refunded' | 'spent' | 'given up'
}

export type BuyerOptions = {
  readonly privateKey: `0x${string}`
  readonly replicas: readonly Replica[]
  readonly random: () => number
  /** Ends the buyer between two purchases, after the first. */
  readonly done: AbortSignal
}

/** Buys until `done` aborts; repeats a request with the same authorisation until it is decided. */
export async function buyUntilDone(
  name: string,
  options: BuyerOptions,
): Promise<readonly Purchase[]> {
  const purchases: Purchase[] = []
  // At least once, on a busy machine too: replicas may be killed faster than they sell.
  while (!options.done.aborted || purchases.length === 0) {
    const label = `${name}-${purchases.length}`
    const purchase = await buyOnce(label, options).catch(() => undefined)
    if (purchase !== undefined) purchases.push(purchase)
  }
  return purchases
}

async function buyOnce(label: string, options: BuyerOptions): Promise<Purchase> {
  const { privateKey, random } = options
  const account = privateKeyToAccount(privateKey)
  const stream = random() < 0.5
  const body = {
    model: 'openai/gpt-4.1-mini',
    messages: [
      { role: 'user', content: `[[sandbox: label=${label} tokens=30 tokens_per_second=150]]` },
    ],
    max_tokens: 3000,
    stream,
  }
  const url = await anyUrl(options)
  const signed = await signPayment({ url, account: () => account }, 0, { body })
  const headers = random() < 0.5 ? signed.v2 : signed.v1
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const outcome = await tryOnce(await anyUrl(options), body, headers)
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

async function tryOnce(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Purchase['outcome'] | 'again'> {
  try {
    const response = await post({ url }, chatPath, { body, headers })
    const text = await response.text()
    if (response.status === 200) {
      // A stream that was cut by a crash ends without its mark: ask again for what became of it.
      const cut = text.startsWith('data: ') && !text.includes('[DONE]') && !text.includes('"error"')
      return cut ? 'again' : 'answered'
    }
    if (response.status === 400) return 'spent'
    return text.includes('refunded') ? 'refunded' : 'again'
  } catch {
    return 'again'
  }
}
