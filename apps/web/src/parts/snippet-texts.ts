export type Snippet = { readonly name: string; readonly text: string }

export type SnippetOptions = { readonly url: string; readonly model: string }

const question = 'What is a fare box?'

/** How to buy a call with what people already use. */
export function snippetTexts({ url, model }: SnippetOptions): readonly Snippet[] {
  return [
    { name: 'curl', text: curl(url, model) },
    { name: 'openai', text: openai(url, model) },
    { name: 'ai', text: aiSdk(url, model) },
    { name: 'LangChain', text: langChain(url, model) },
    { name: 'Python', text: python(url, model) },
    { name: 'Claude Code', text: claudeCode(url) },
  ]
}

function curl(url: string, model: string): string {
  return `# 1. The price, free of charge: a 402 with PAYMENT-REQUIRED
curl -s -D headers.txt ${url}/v1/chat/completions \\
  -H 'content-type: application/json' \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "${question}"}]}'

# 2. Sign it with a wallet
required=$(grep -i '^payment-required:' headers.txt | cut -d' ' -f2 | tr -d '\\r')
signature=$(npx farebox sign "$required" --key-file key.txt)

# 3. The same request with the payment
curl -sN ${url}/v1/chat/completions \\
  -H "payment-signature: $signature" \\
  -H 'content-type: application/json' \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "${question}"}]}'`
}

function payingFetch(url: string): string {
  return `import { createFareboxClient } from '@farebox/client'
import { privateKeyToAccount } from 'viem/accounts'

const farebox = createFareboxClient({
  baseUrl: '${url}',
  account: privateKeyToAccount(process.env.PRIVATE_KEY),
})`
}

function openai(url: string, model: string): string {
  return `import OpenAI from 'openai'
${payingFetch(url)}
const openai = new OpenAI({
  baseURL: '${url}/v1',
  apiKey: 'none',
  fetch: farebox.fetch,
  maxRetries: 0,
})
const stream = await openai.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: '${question}' }],
  stream: true,
})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '')`
}

function aiSdk(url: string, model: string): string {
  return `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { streamText } from 'ai'
${payingFetch(url)}
const provider = createOpenAICompatible({
  name: 'farebox',
  baseURL: '${url}/v1',
  fetch: farebox.fetch,
})
const { textStream } = streamText({
  model: provider('${model}'),
  prompt: '${question}',
  maxRetries: 0,
})
for await (const text of textStream) process.stdout.write(text)`
}

function langChain(url: string, model: string): string {
  return `import { ChatOpenAI } from '@langchain/openai'
${payingFetch(url)}
const chat = new ChatOpenAI({
  model: '${model}',
  apiKey: 'none',
  maxRetries: 0,
  configuration: { baseURL: '${url}/v1', fetch: farebox.fetch },
})
console.log((await chat.invoke('${question}')).content)`
}

function python(url: string, model: string): string {
  return `# In another terminal: a local address that pays from your wallet, within caps.
# It prints its own address.
#   npx farebox proxy --url ${url}

from openai import OpenAI

client = OpenAI(base_url="http://127.0.0.1:4030/v1", api_key="none", max_retries=0)
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "${question}"}],
)
print(answer.choices[0].message.content)`
}

function claudeCode(url: string): string {
  return `# In another terminal: a local address that pays from your wallet, within caps.
# It prints its own address.
npx farebox proxy --url ${url}

# Then:
export ANTHROPIC_BASE_URL=http://127.0.0.1:4030
export ANTHROPIC_AUTH_TOKEN=none
claude`
}
