import OpenAI from 'openai'
import { createPublicClient, erc20Abi, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { gatewayStage } from '../../../scripts/testing/gateway-stage.ts'
import { createFareboxClient, type FareboxClient } from '../src/index.ts'

// End to end: the gateway runs as its own process, with its devnet and its sandbox.
const stage = gatewayStage()

function payer(index: number): (typeof stage.devnet.payers)[number] {
  const account = stage.devnet.payers[index]
  if (account === undefined) throw new Error('a payer is needed')
  return account
}

function connect(index: number): FareboxClient {
  const { privateKey } = payer(index)
  return createFareboxClient({
    baseUrl: stage.url,
    account: privateKeyToAccount(privateKey),
    networks: ['base-sepolia'],
  })
}

async function balance(index: number): Promise<bigint> {
  const { rpcUrl, usdc } = stage.devnet
  const chain = createPublicClient({ transport: http(rpcUrl) })
  return await chain.readContract({
    address: usdc,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [payer(index).address],
  })
}

const question = {
  messages: [{ role: 'user', content: 'Say something about fare boxes.' }],
  max_tokens: 2000,
} as const

test('a streamed chat costs what its record states, and the rest is refunded', async () => {
  const client = connect(0)
  const answer = await client.chatStream(question)
  let text = ''
  for await (const chunk of answer) text += chunk.choices[0]?.delta.content ?? ''
  expect(text.toLowerCase()).toContain('sandbox')
  const record = answer.payment()
  expect(record).toMatchObject({ id: answer.receipt?.paymentId, status: 'completed' })
  const cost = BigInt(record?.cost?.usdc ?? '-1')
  expect(answer.receipt?.paid).toBe(cost + BigInt(record?.refund?.usdc ?? '0'))
  expect(client.spent()).toBe(cost)
  expect(await client.waitForRefund(record?.id ?? '')).toMatchObject({
    refund: { status: 'confirmed', transaction: expect.stringMatching(/^0x/) },
  })
  expect(await balance(0)).toBe(1_000_000_000n - cost)
})

test('the receipt of a chat without streaming leads to its record', async () => {
  const client = connect(1)
  const { completion, receipt } = await client.chat(question)
  expect(completion.choices[0]?.message.content?.toLowerCase()).toContain('sandbox')
  expect(receipt?.settled).toBe(true)
  const record = await client.payment(receipt?.paymentId ?? '')
  expect(record.status).toBe('completed')
  expect(client.spent()).toBe(BigInt(record.cost?.usdc ?? '-1'))
})

test('an image is returned as data, with its cost', async () => {
  const client = connect(2)
  const { result, receipt } = await client.images.generate({
    prompt: 'a lighthouse',
    width: 512,
    height: 512,
    response_format: 'b64_json',
  })
  const [image] = result.images
  const bytes = Buffer.from(image?.b64_json ?? '', 'base64')
  expect(bytes.subarray(1, 4).toString('latin1')).toBe('PNG')
  expect(receipt?.settled).toBe(true)
  expect(client.spent()).toBe(BigInt(result.cost.usdc))
})

test('the estimate equals the price of the call, and free calls are free', async () => {
  const client = connect(3)
  const estimate = await client.estimate(question)
  expect(Number(estimate.estimatedCost.usd)).toBeGreaterThan(0)
  const { total, models } = await client.models()
  expect(models).toHaveLength(total)
  expect((await client.images.models()).total).toBeGreaterThan(0)
  expect((await client.images.estimate({})).number_of_images).toBe(1)
  expect(await client.health()).toMatchObject({ status: 'ok', mainnet: false })
  expect(client.spent()).toBe(0n)
})

test("the openai package pays through the client's fetch", async () => {
  const client = connect(5)
  const openai = new OpenAI({
    baseURL: `${stage.url}/v1`,
    apiKey: 'none',
    maxRetries: 0,
    fetch: client.fetch,
  })
  const stream = await openai.chat.completions.create({
    model: 'openai/gpt-4.1-mini',
    messages: [{ role: 'user', content: 'Hello' }],
    stream: true,
  })
  let finish: string | null | undefined
  for await (const chunk of stream) finish = chunk.choices[0]?.finish_reason
  expect(finish).toMatch(/stop|length/)
  expect(client.spent()).toBeGreaterThan(0n)
})

test("the gateway's errors keep their code", async () => {
  const client = connect(4)
  await expect(client.chat({ ...question, model: 'no/such-model' })).rejects.toMatchObject({
    code: 'model_not_found',
    status: 400,
  })
  await expect(client.images.generate({ prompt: 'x', width: 100 })).rejects.toMatchObject({
    code: 'INVALID_DIMENSIONS',
  })
  await expect(client.payment('pay_none')).rejects.toMatchObject({ code: 'not_found', status: 404 })
})
