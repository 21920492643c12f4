// The client: a free estimate, then a paid stream, then its cost and its refund.
import { createFareboxClient } from '@farebox/client'
import { parseUsdc } from '@farebox/money'
import { privateKeyToAccount } from 'viem/accounts'
import { readDevnetKeys } from './devnet-keys.ts'

const farebox = createFareboxClient({
  baseUrl: process.env['FAREBOX_URL'] ?? 'http://127.0.0.1:4020',
  account: privateKeyToAccount(readDevnetKeys(process.argv[2]).payers[1]?.privateKey ?? '0x'),
  networks: ['base-sepolia'],
  maxAmountPerCall: parseUsdc('0.05'),
  maxTotal: parseUsdc('1'),
})
const request = {
  model: 'openai/gpt-4.1-mini',
  messages: [{ role: 'user' as const, content: 'What is a fare box?' }],
  max_tokens: 2000,
}

const { estimatedCost } = await farebox.estimate(request)
console.log(`at most ${estimatedCost.usd} USD\n`)

const answer = await farebox.chatStream(request)
for await (const chunk of answer) process.stdout.write(chunk.choices[0]?.delta.content ?? '')

const { paid, cost, refund } = await farebox.waitForRefund(answer.receipt?.paymentId ?? '')
console.log(
  `\n\npaid ${paid.usd}, cost ${cost?.usd}, refunded ${refund?.usd} in ${refund?.transaction}`,
)
