import { inflateSync } from 'node:zlib'
import { type Sandbox, startSandbox } from '@farebox/devnet/sandbox'
import { parseUsd } from '@farebox/money'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ConnectedImageProvider,
  createOpenAiImagesProvider,
  createRunwareProvider,
} from '../../src/index.ts'
import { imageCall } from '../support/call.ts'
import { type Responder, startProviderServer } from '../support/provider-server.ts'

let sandbox: Sandbox
let runware: ConnectedImageProvider
let openAi: ConnectedImageProvider

beforeAll(async () => {
  sandbox = await startSandbox({ pace: { imageMs: 1 } })
  runware = createRunwareProvider({ apiKey: 'key-1', baseUrl: sandbox.runwareBaseUrl })
  openAi = createOpenAiImagesProvider({ apiKey: 'key-1', baseUrl: sandbox.imagesBaseUrl })
})

afterAll(async () => {
  await runware.close()
  await openAi.close()
  await sandbox.stop()
})

/** Width and height of a PNG whose rows are all there. */
function sizeOfPng(png: Buffer): readonly [number, number] {
  expect(png.subarray(0, 8)).toEqual(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
  const size = [png.readUInt32BE(16), png.readUInt32BE(20)] as const
  const at = png.indexOf('IDAT')
  const rows = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)))
  expect(rows.length).toBe((size[0] + 1) * size[1])
  return size
}

test('Runware: images by URL, with seeds and the total cost', async () => {
  const call = imageCall({ steps: 8, seed: 42, prompt: '[[sandbox: cost=0.00123]] a lighthouse' })
  const { images, reportedCost } = await runware.generate(call)
  expect(images).toHaveLength(2)
  expect(reportedCost).toBe(parseUsd('0.00246'))
  expect(images.map(({ seed }) => seed)).toEqual([42, 43])
  for (const { url } of images) {
    const png = Buffer.from(await (await fetch(url)).arrayBuffer())
    expect(sizeOfPng(png)).toEqual([128, 192])
  }
  const logged = sandbox.requests.at(-1)
  expect(logged?.headers.authorization).toBe('Bearer key-1')
  expect(logged?.body).toMatchObject({
    taskType: 'imageInference',
    taskUUID: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/),
    model: 'runware:100@1',
    width: 128,
    height: 192,
    steps: 8,
    seed: 42,
    numberResults: 2,
    includeCost: true,
    deliveryMethod: 'sync',
  })
})

test('Runware: images as bytes', async () => {
  const { images } = await runware.generate(imageCall({ responseFormat: 'b64_json' }))
  for (const { url, b64Json = '' } of images) {
    expect(sizeOfPng(Buffer.from(b64Json, 'base64'))).toEqual([128, 192])
    expect(url).toBe(`data:image/png;base64,${b64Json}`)
  }
})

test('Runware: only what was requested is sent; pinned settings go to the vendor', async () => {
  const pinnedSettings = { quality: 'high' }
  await runware.generate(imageCall({ upstreamModel: 'openai:1@1', pinnedSettings }))
  const body = sandbox.requests.at(-1)?.body
  expect(body).toMatchObject({ providerSettings: { openai: { quality: 'high' } } })
  expect(Object.keys(body ?? {})).not.toContain('steps')
  await runware.generate(imageCall())
  expect(Object.keys(sandbox.requests.at(-1)?.body ?? {})).not.toContain('providerSettings')
})

test.each([
  ['runware', () => runware],
  ['openai', () => openAi],
])('%s: fewer images than requested are a result', async (_, provider) => {
  const prompt = '[[sandbox: images=1]] a lighthouse'
  const { images } = await provider().generate(imageCall({ prompt }))
  expect(images).toHaveLength(1)
})

test.each([
  ['runware', () => runware],
  ['openai', () => openAi],
])('%s: no image at all is a failure', async (_, provider) => {
  const call = imageCall({ prompt: '[[sandbox: images=0]] a lighthouse' })
  await expect(provider().generate(call)).rejects.toMatchObject({
    name: 'UpstreamError',
    code: 'upstream_unavailable',
  })
})

test.each(['status=429', 'status=503', 'status=500', 'close_before_headers', 'html'])(
  'a request that fails with "%s" is not written twice',
  async (how) => {
    const before = sandbox.requests.length
    const call = imageCall({ prompt: `[[sandbox: ${how}]] a lighthouse` })
    await expect(runware.generate(call)).rejects.toMatchObject({ code: 'upstream_unavailable' })
    expect(sandbox.requests.length).toBe(before + 1)
  },
)

test('a client that disconnects ends the call', async () => {
  const leaving = new AbortController()
  const prompt = '[[sandbox: slow_first_byte=60000 label=leaves]] a lighthouse'
  const generating = runware.generate(imageCall({ prompt, signal: leaving.signal }))
  const logged = () => sandbox.requests.find(({ label }) => label === 'leaves')
  await expect.poll(() => logged()?.outcome).toBe('running')
  leaving.abort()
  await expect(generating).rejects.toMatchObject({ code: 'aborted' })
  await expect.poll(() => logged()?.outcome).toBe('aborted')
  const late = runware.generate(imageCall({ signal: leaving.signal }))
  await expect(late).rejects.toMatchObject({ code: 'aborted' })
})

test('images that are not made in time are overtime', async () => {
  const impatient = createRunwareProvider({
    apiKey: 'k',
    baseUrl: sandbox.runwareBaseUrl,
    timeout: 50,
  })
  const call = imageCall({ prompt: '[[sandbox: slow_first_byte=60000]] x' })
  await expect(impatient.generate(call)).rejects.toMatchObject({ code: 'upstream_overtime' })
  await impatient.close()
})

test('OpenAI: bytes become a data URL; size, count and settings are sent', async () => {
  const call = imageCall({ upstreamModel: 'gpt-image', pinnedSettings: { quality: 'high' } })
  const { images, reportedCost } = await openAi.generate(call)
  expect(reportedCost).toBeUndefined()
  expect(images).toHaveLength(2)
  for (const { url, b64Json = '' } of images) {
    expect(sizeOfPng(Buffer.from(b64Json, 'base64'))).toEqual([128, 192])
    expect(url).toBe(`data:image/png;base64,${b64Json}`)
  }
  expect(sandbox.requests.at(-1)?.body).toEqual({
    quality: 'high',
    model: 'gpt-image',
    prompt: 'a lighthouse',
    n: 2,
    size: '128x192',
  })
})

async function runwareSaying(body: unknown): Promise<unknown> {
  const respond: Responder = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }
  const server = await startProviderServer(respond)
  const provider = createRunwareProvider({ apiKey: 'k', baseUrl: server.url })
  try {
    return await provider.generate(imageCall()).catch((error: unknown) => error)
  } finally {
    await provider.close()
    await server.stop()
  }
}

const image = { taskType: 'imageInference', imageURL: 'https://im.example/a.png' }

test.each([
  [
    'errors about the request',
    { errors: [{ code: 'invalidWidth', message: 'x' }] },
    'upstream_rejected',
  ],
  ['other errors', { errors: [{ code: 'timeoutProvider', message: 'x' }] }, 'upstream_unavailable'],
  ['nothing', {}, 'upstream_unavailable'],
  ['no object', [], 'upstream_unavailable'],
  ['items without pictures', { data: [{ seed: 1 }] }, 'upstream_unavailable'],
])('Runware: a 200 with %s', async (_, body, code) => {
  expect(await runwareSaying(body)).toMatchObject({ name: 'UpstreamError', code })
})

test.each([
  ['invalidApiKey', 'Invalid API key. Get one at https://my.runware.ai/signup', true],
  ['insufficientCredits', 'Insufficient credits', false],
])('Runware: the error %s is not of the request', async (code, message, isKeyRejected) => {
  const error = await runwareSaying({ errors: [{ code, message, parameter: 'apiKey' }] })
  expect(error).toMatchObject({ code: 'upstream_unavailable', isKeyRejected })
  expect(error).not.toHaveProperty('message', expect.stringContaining(message))
})

test('Runware: images and errors together are the images', async () => {
  const body = { data: [{ ...image, cost: 0.0013 }], errors: [{ code: 'x', message: 'x' }] }
  expect(await runwareSaying(body)).toEqual({
    images: [{ url: image.imageURL }],
    reportedCost: parseUsd('0.0013'),
  })
})

test.each([
  ['one image has no cost', [{ ...image, cost: 0.0013 }, image]],
  [
    'one cost is not an amount',
    [
      { ...image, cost: 0.0013 },
      { ...image, cost: -1 },
    ],
  ],
])('Runware: no cost is reported when %s', async (_, data) => {
  expect(await runwareSaying({ data })).toEqual({
    images: [{ url: image.imageURL }, { url: image.imageURL }],
  })
})

test('Runware: more images than requested are dropped, but their cost counts', async () => {
  const data = [1, 2, 3].map(() => ({ ...image, cost: 0.001 }))
  expect(await runwareSaying({ data })).toMatchObject({
    images: { length: 2 },
    reportedCost: parseUsd('0.003'),
  })
})

test('Runware: an image at an address that no client can show is missing, and costs nothing', async () => {
  const data = [image, { ...image, imageURL: 'javascript:alert(1)' }].map((one) => ({
    ...one,
    cost: 0.001,
  }))
  const { imageURL: url } = image
  const reportedCost = parseUsd('0.001')
  expect(await runwareSaying({ data })).toMatchObject({ images: [{ url }], reportedCost })
  const alone = [{ ...image, imageURL: 'file:///a.png' }]
  expect(await runwareSaying({ data: alone })).toMatchObject({ code: 'upstream_unavailable' })
})

test('a response of two million arrays has no image', async () => {
  const image = '{"imageURL":"https://example.com/a.png","cost":0.001}'
  const server = await startProviderServer((response) => {
    response.end(`{"more":[${'[],'.repeat(2_000_000)}0],"data":[${image}]}`)
  })
  const provider = createRunwareProvider({ apiKey: 'k', baseUrl: server.url })
  try {
    await expect(provider.generate(imageCall())).rejects.toMatchObject({
      code: 'upstream_unavailable',
    })
  } finally {
    await provider.close()
    await server.stop()
  }
})
