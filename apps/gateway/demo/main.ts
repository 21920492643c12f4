import { chatCompletionSchema, imageResultSchema } from '@farebox/api'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import OpenAI from 'openai'
import { createPublicClient, erc20Abi, getAddress, http } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { createSigner, wrapFetchWithPayment as wrapFetchLegacy } from 'x402-fetch'
import { z } from 'zod'
import { type Purchase, printPurchase } from './purchase.ts'
import { type RunningGateway, runGateway } from './running-gateway.ts'

type Buyer = {
  readonly gateway: RunningGateway
  readonly account: PrivateKeyAccount
  readonly privateKey: `0x${string}`
  readonly balanceBefore: bigint
}

const quoteSchema = z.object({ quote: z.object({ maximum: z.object({ usd: z.string() }) }) })

const messages = [
  { role: 'user' as const, content: 'What is a fare box? Answer in two sentences.' },
]
const chat = { model: 'openai/gpt-4.1-mini', messages, max_tokens: 4000 }

/** A fetch that pays with x402 version 2 and keeps the headers of the paid response. */
function payingFetch({ account }: Buyer): { fetch: typeof fetch; headers: () => Headers } {
  const client = new x402Client().register('eip155:84532', new ExactEvmScheme(account))
  const paid = wrapFetchWithPayment(fetch, client)
  let headers = new Headers()
  return {
    fetch: async (input, init) => {
      const response = await paid(input, init)
      headers = response.headers
      return response
    },
    headers: () => headers,
  }
}

async function quoteOf(gateway: RunningGateway, path: string, body: object): Promise<string> {
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.status !== 402)
    throw new Error(`${path} responded with ${response.status}, expected 402`)
  return quoteSchema.parse(await response.json()).quote.maximum.usd
}

async function buyWithOpenAi(buyer: Buyer): Promise<Purchase> {
  const { gateway, account, balanceBefore } = buyer
  const paying = payingFetch(buyer)
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', fetch: paying.fetch })
  const quoted = await quoteOf(gateway, '/v1/chat/completions', { ...chat, stream: true })
  const startedAt = performance.now()
  let firstTokenMs = 0
  let answer = ''
  const stream = await openai.chat.completions.create({ ...chat, stream: true })
  for await (const chunk of stream) {
    const text = chunk.choices[0]?.delta.content ?? ''
    if (answer === '' && text !== '') firstTokenMs = performance.now() - startedAt
    answer += text
  }
  const title = 'A streamed chat: openai over @x402/fetch (x402 version 2)'
  return {
    title,
    payer: account.address,
    answer,
    arrival: { what: 'first token', ms: firstTokenMs },
    headers: paying.headers(),
    quoted,
    balanceBefore,
  }
}

async function buyWithLegacyFetch(buyer: Buyer): Promise<Purchase> {
  const { gateway, account, privateKey, balanceBefore } = buyer
  const paid = wrapFetchLegacy(fetch, await createSigner('base-sepolia', privateKey))
  const quoted = await quoteOf(gateway, '/v1/chat/completions', chat)
  const startedAt = performance.now()
  const response = await paid(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(chat),
  })
  const completion = chatCompletionSchema.parse(await response.json())
  const ms = performance.now() - startedAt
  const answer = completion.choices[0]?.message.content ?? ''
  const title = 'A chat without streaming: x402-fetch (x402 version 1)'
  return {
    title,
    payer: account.address,
    answer,
    arrival: { what: 'answer', ms },
    headers: response.headers,
    quoted,
    balanceBefore,
  }
}

async function buyImage(buyer: Buyer): Promise<Purchase> {
  const { gateway, account, balanceBefore } = buyer
  const paying = payingFetch(buyer)
  const order = { prompt: 'a brass fare box in morning light', width: 1024, height: 768 }
  const quoted = await quoteOf(gateway, '/v1/images/generate', order)
  const startedAt = performance.now()
  const response = await paying.fetch(`${gateway.url}/v1/images/generate`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(order),
  })
  const [image] = imageResultSchema.parse(await response.json()).images
  const ms = performance.now() - startedAt
  const picture = await (await fetch(image?.url ?? '')).arrayBuffer()
  const answer = `${image?.url} (${picture.byteLength} bytes)`
  const title = 'An image: fetch over @x402/fetch'
  return {
    title,
    payer: account.address,
    answer,
    arrival: { what: 'image', ms },
    headers: response.headers,
    quoted,
    balanceBefore,
  }
}

async function runDemo(gateway: RunningGateway): Promise<boolean> {
  const chain = createPublicClient({ transport: http(gateway.devnet.rpcUrl) })
  const balanceOf = (address: string): Promise<bigint> =>
    chain.readContract({
      address: gateway.devnet.usdc,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [getAddress(address)],
    })
  process.stdout.write(
    `Gateway at ${gateway.url}, chain at ${gateway.devnet.rpcUrl}. The providers are sandboxes.\n`,
  )
  const results: boolean[] = []
  for (const [index, buy] of [buyWithOpenAi, buyWithLegacyFetch, buyImage].entries()) {
    const payer = gateway.devnet.payers[index]
    if (payer === undefined) throw new Error('the devnet has too few payers')
    const { privateKey } = payer
    const account = privateKeyToAccount(privateKey)
    const balanceBefore = await balanceOf(account.address)
    const purchase = await buy({ gateway, account, privateKey, balanceBefore })
    results.push(await printPurchase(purchase, gateway, balanceOf))
  }
  return results.every(Boolean)
}

const gateway = await runGateway()
try {
  const addsUp = await runDemo(gateway)
  process.stdout.write(addsUp ? '\nEverything adds up.\n' : '\nSomething does not add up.\n')
  process.exitCode = addsUp ? 0 : 1
} finally {
  await gateway.stop()
}
