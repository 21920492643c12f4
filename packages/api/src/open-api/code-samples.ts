/** A program in the OpenAPI document, with its language and label. */
export type CodeSample = { readonly lang: string; readonly label: string; readonly source: string }

/** A request with curl. */
export function curlSample(url: string, body?: object): CodeSample {
  const source =
    body === undefined
      ? `curl -s ${url}`
      : `curl -s ${url} \\\n  -H 'content-type: application/json' \\\n  -d '${JSON.stringify(body)}'`
  return { lang: 'Shell', label: 'curl', source }
}

/** The stock `openai` client over a fetch that pays. */
export function openAiSample({
  serverUrl,
  model,
}: {
  readonly serverUrl: string
  readonly model: string
}): CodeSample {
  const source = `import OpenAI from 'openai'
import { createFareboxClient } from '@farebox/client'
import { privateKeyToAccount } from 'viem/accounts'

const account = privateKeyToAccount(process.env.FAREBOX_PRIVATE_KEY)
const farebox = createFareboxClient({ baseUrl: '${serverUrl}', account })
const openai = new OpenAI({
  baseURL: '${serverUrl}/v1',
  apiKey: 'none',
  fetch: farebox.fetch,
  maxRetries: 0, // a retry would be a second call, with a second payment
})
const stream = await openai.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'What is a fare box?' }],
  stream: true,
})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '')`
  return { lang: 'TypeScript', label: 'openai', source }
}
