import { openAiSample } from '@farebox/api/samples'

export type Snippet = { readonly name: string; readonly text: string }

export type SnippetOptions = { readonly url: string; readonly model: string }

const question = 'What is a fare box?'

/** Where `farebox proxy` listens by default. */
const proxyUrl = 'http://127.0.0.1:8402'

/** How to buy a call with what people already use. */
export function snippetTexts({ url, model }: SnippetOptions): readonly Snippet[] {
  return [
    { name: 'curl', text: curl(url, model) },
    { name: 'openai', text: openAiSample({ serverUrl: url, model }).source },
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

# 2. Sign it with the key in FAREBOX_PRIVATE_KEY
required=$(grep -i '^payment-required:' headers.txt | cut -d' ' -f2 | tr -d '\\r')
signature=$(npx farebox sign "$required")

# 3. The same request with the payment
curl -sN ${url}/v1/chat/completions \\
  -H "payment-signature: $signature" \\
  -H 'content-type: application/json' \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "${question}"}]}'`
}

function payer(url: string): string {
  return `{
  baseUrl: '${url}',
  account: privateKeyToAccount(process.env.FAREBOX_PRIVATE_KEY),
}`
}

function payingFetch(url: string): string {
  return `import { createFareboxClient } from '@farebox/client'
import { privateKeyToAccount } from 'viem/accounts'

const farebox = createFareboxClient(${payer(url)})`
}

function aiSdk(url: string, model: string): string {
  return `import { createFarebox } from '@farebox/ai-sdk-provider'
import { streamText } from 'ai'
import { privateKeyToAccount } from 'viem/accounts'

const farebox = createFarebox(${payer(url)})
const { textStream } = streamText({
  model: farebox('${model}'),
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

function proxy(url: string): string {
  return `npx farebox proxy --url ${url} --max-usd-per-hour 1`
}

function python(url: string, model: string): string {
  return `# In another terminal, an address that pays with the key in FAREBOX_PRIVATE_KEY:
#   ${proxy(url)}

from openai import OpenAI

client = OpenAI(
    base_url="${proxyUrl}/v1",
    api_key="farebox-…",  # the key that it prints
    max_retries=0,
)
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "${question}"}],
)
print(answer.choices[0].message.content)`
}

function claudeCode(url: string): string {
  return `# In another terminal, an address that pays with the key in FAREBOX_PRIVATE_KEY:
${proxy(url)} --max-usd-per-call 1

# Then, with the key that it prints:
export ANTHROPIC_BASE_URL=${proxyUrl}
export ANTHROPIC_AUTH_TOKEN=farebox-…
claude`
}
