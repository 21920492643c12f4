// `@farebox/tokenizer` alone: exact counts, offline, in linear time.
import { createTokenCounter } from '@farebox/tokenizer/node'

const text = process.argv[2] ?? 'A fare box takes coins and gives no change. This one does.'
const counter = createTokenCounter()
for (const family of ['openai-o200k', 'claude'] as const) {
  const { tokens, method, upperBound } = await counter.countText(family, text)
  console.log(`${family.padEnd(14)} ${tokens} tokens (${method}), never more than ${upperBound}`)
}
await counter.close()
