// The stock `openai` client, unmodified, pays and streams over the stock `@x402/fetch`.
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import OpenAI from 'openai'
import { privateKeyToAccount } from 'viem/accounts'
import { readDevnetKeys } from './devnet-keys.ts'

const { payers } = readDevnetKeys(process.argv[2])
const payer = privateKeyToAccount(payers[0].privateKey)
const wallet = new x402Client().register('eip155:84532', new ExactEvmScheme(payer))

const openai = new OpenAI({
  baseURL: `${process.env['FAREBOX_URL'] ?? 'http://127.0.0.1:4020'}/v1`,
  apiKey: 'none',
  maxRetries: 0, // a retry would be a second call, with a second payment
  fetch: wrapFetchWithPayment(fetch, wallet),
})

const stream = await openai.chat.completions.create({
  model: 'openai/gpt-4.1-mini',
  messages: [{ role: 'user', content: 'What is a fare box?' }],
  max_completion_tokens: 120,
  stream: true,
})
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? '')
  if (chunk.usage) console.log(`\n\n${chunk.usage.completion_tokens} tokens`)
}
