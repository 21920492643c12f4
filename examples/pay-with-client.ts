// The client: a free estimate, then a paid stream, then its cost and its refund.
import { createFareboxClient } from '@farebox/client'
import { parseUsdc } from '@farebox/money'
import { readDevnetKeys } from './devnet-keys.ts'

const farebox = createFareboxClient({
  baseUrl: process.env['FAREBOX_URL'] ?? 'http://127.0.0.1:4020',
  privateKey: readDevnetKeys(process.argv[2]).payers[1]?.privateKey ?? '0x',
  networks: ['base-sepolia'],
  maxAmountPerCall: parseUsdc('0.05'),
  maxTotal: parseUsdc('1'),
})
const request = {
  messages: [{ role: 'user' as const, content: 'What is a fare box?' }],
  max_tokens: 120,
}

const { estimatedCost } = await farebox.estimate(request)
console.log('at most', estimatedCost)

const answer = await farebox.chatStream(request)
for await (const chunk of answer) process.stdout.write(chunk.choices[0]?.delta.content ?? '')

const payment = answer.payment()
console.log(
  `\n\npaid ${payment?.paid.usd}, cost ${payment?.cost?.usd}, refund ${payment?.refund?.usd ?? '0'}`,
)
