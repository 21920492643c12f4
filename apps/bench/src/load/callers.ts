import { createFareboxClient, type FareboxClient } from '@farebox/client'
import type { Devnet } from '@farebox/devnet'
import { parseUsdc } from '@farebox/money'
import { privateKeyToAccount } from 'viem/accounts'

/** What happens to one call of the soak. */
export type CallKind = 'JSON' | 'SSE' | 'SSE, left' | 'channel JSON' | 'channel SSE'

/** In this order, one after the other. */
export const callKinds: readonly CallKind[] = [
  'JSON',
  'SSE',
  'channel JSON',
  'SSE, left',
  'channel SSE',
]

export type Caller = { call(kind: CallKind): Promise<void> }

const message = { role: 'user' as const, content: 'What is a fare box, and who needs one?' }
const request = { model: 'bench', messages: [message], max_tokens: 100 }

/** A client for each payer: one half pays call by call, the other from channels. */
export function createCallers(url: string, { payers }: Pick<Devnet, 'payers'>): Caller {
  const all = payers.map(({ privateKey }, index) =>
    createFareboxClient({
      baseUrl: url,
      account: privateKeyToAccount(privateKey),
      maxTotal: parseUsdc('100'),
      ...(index % 2 === 1 && { channel: { after: 0, deposit: parseUsdc('0.05') } }),
    }),
  )
  const clients = (part: number): readonly FareboxClient[] =>
    all.filter((_, index) => index % 2 === part)
  const [exact, channel] = [inTurn(clients(0)), inTurn(clients(1))]
  return {
    async call(kind) {
      const client = kind.startsWith('channel') ? channel() : exact()
      if (kind === 'JSON' || kind === 'channel JSON') await client.chat(request)
      else await stream(client, kind === 'SSE, left')
    },
  }
}

function inTurn<Item>(items: readonly Item[]): () => Item {
  let next = 0
  return () => {
    const item = items[next % items.length]
    next += 1
    if (item === undefined) throw new RangeError('clients must not be empty')
    return item
  }
}

/** A client that leaves disconnects after the first word. */
async function stream(client: FareboxClient, leaves: boolean): Promise<void> {
  const left = new AbortController()
  const words = await client.chatStream(request, { signal: left.signal })
  try {
    for await (const _ of words) if (leaves) left.abort()
  } catch (error) {
    if (!leaves) throw error
  }
}
