import { parseUsdc } from '@farebox/money'
import { generateImage, generateText, streamText } from 'ai'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { gatewayStage } from '../../../scripts/testing/gateway-stage.ts'
import { createFarebox, type FareboxProvider } from '../src/index.ts'

const stage = gatewayStage()
const model = 'openai/gpt-4.1-mini'

function open(perCall = '0.1'): FareboxProvider {
  return createFarebox({
    baseUrl: `${stage.url}/`,
    account: privateKeyToAccount(stage.devnet.payers[0]?.privateKey ?? '0x'),
    maxAmountPerCall: parseUsdc(perCall),
  })
}

test('generateText and streamText are paid call by call', async () => {
  const farebox = open()
  const { text, usage } = await generateText({ model: farebox(model), prompt: 'Hello' })
  expect(text).toMatch(/sandbox/i)
  expect(usage.outputTokens).toBeGreaterThan(0)
  const before = farebox.client.spent()
  expect(before).toBeGreaterThan(0n)
  const stream = streamText({ model: farebox.chatModel(model), prompt: 'Hello' })
  expect(await stream.text).toMatch(/sandbox/i)
  expect((await stream.usage).outputTokens).toBeGreaterThan(0)
  expect(farebox.client.spent()).toBeGreaterThan(before)
})

test('an image is paid for', async () => {
  const farebox = open()
  const { models } = await farebox.client.images.models()
  const { image } = await generateImage({
    model: farebox.imageModel(models[0]?.id ?? ''),
    prompt: 'A cat',
    size: '512x512',
  })
  expect(image.uint8Array.length).toBeGreaterThan(0)
  expect(farebox.client.spent()).toBeGreaterThan(0n)
})

test('more images than one call may make are several calls', async () => {
  const farebox = open()
  const { models } = await farebox.client.images.models()
  const { images } = await generateImage({
    model: farebox.imageModel(models[0]?.id ?? ''),
    prompt: 'A cat',
    size: '512x512',
    n: 5,
  })
  expect(images).toHaveLength(5)
})

test('a call above the cap is an error with its reason', async () => {
  const farebox = open('0.000001')
  await expect(
    generateText({ model: farebox(model), prompt: 'Hello', maxRetries: 0 }),
  ).rejects.toMatchObject({
    name: 'AI_APICallError',
    statusCode: 402,
    message: expect.stringContaining('The cap is 0.000001 USDC for one call'),
  })
  expect(farebox.client.spent()).toBe(0n)
})
