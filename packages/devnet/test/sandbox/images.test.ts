import { inflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createImageStore } from '../../src/sandbox/images/image-store.ts'
import { encodePng } from '../../src/sandbox/images/png.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox.ts'

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox({ pace: { imageMs: 0 } })
})

afterAll(() => sandbox.stop())

type RunwareAnswer = {
  readonly data: readonly {
    readonly imageURL?: string
    readonly imageBase64Data?: string
    readonly seed: number
    readonly cost?: number
    readonly NSFWContent: boolean
    readonly taskUUID: string
  }[]
  readonly errors?: readonly object[]
}

async function draw(task: object): Promise<RunwareAnswer> {
  const response = await fetch(sandbox.runwareBaseUrl, {
    method: 'POST',
    body: JSON.stringify([{ taskType: 'imageInference', taskUUID: 'u', model: 'm', ...task }]),
  })
  return (await response.json()) as RunwareAnswer
}

async function pixelsOf(url: string): Promise<{ size: readonly number[]; rows: Buffer }> {
  const response = await fetch(url)
  expect(response.headers.get('content-type')).toBe('image/png')
  const png = Buffer.from(await response.arrayBuffer())
  const at = png.indexOf('IDAT')
  const rows = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)))
  return { size: [png.readUInt32BE(16), png.readUInt32BE(20)], rows }
}

test.each([
  [128, 128],
  [2048, 128],
  [192, 1024],
])('a picture of %d x %d has every pixel and a label', async (width, height) => {
  const { data } = await draw({ positivePrompt: 'a lighthouse', width, height })
  const { size, rows } = await pixelsOf(data[0]?.imageURL ?? '')
  expect(size).toEqual([width, height])
  expect(rows.length).toBe((width + 1) * height)
  // The last color is that of the label.
  expect(rows.includes(255)).toBe(true)
  expect(new Set(rows).size).toBeGreaterThan(50)
})

test('the prompt and the seed determine the picture', async () => {
  const size = { width: 128, height: 128 }
  const pictures = await Promise.all(
    [
      { positivePrompt: 'a', seed: 1 },
      { positivePrompt: 'a', seed: 1 },
      { positivePrompt: 'a', seed: 2 },
      { positivePrompt: 'b', seed: 1 },
    ].map(async (task) => {
      const { data } = await draw({ ...size, ...task, outputType: 'base64Data' })
      return data[0]?.imageBase64Data
    }),
  )
  expect(pictures[0]).toBe(pictures[1])
  expect(new Set(pictures).size).toBe(3)
})

test('returns the cost on request, and always the seed and the NSFW mark', async () => {
  const task = { positivePrompt: '[[sandbox: nsfw]] x', width: 128, height: 128, numberResults: 2 }
  const { data } = await draw({ ...task, includeCost: true, seed: 5 })
  expect(data.map(({ seed, NSFWContent, taskUUID }) => [seed, NSFWContent, taskUUID])).toEqual([
    [5, true, 'u'],
    [6, true, 'u'],
  ])
  expect(data.every(({ cost = 0 }) => cost > 0)).toBe(true)
  expect((await draw(task)).data[0]?.cost).toBeUndefined()
})

test('returns an error along with fewer images', async () => {
  const task = { positivePrompt: '[[sandbox: images=1]] x', width: 128, height: 128 }
  const { data, errors } = await draw({ ...task, numberResults: 3 })
  expect([data.length, errors?.length]).toEqual([1, 1])
})

test('rejects an unsupported size', async () => {
  const response = await fetch(sandbox.runwareBaseUrl, {
    method: 'POST',
    body: JSON.stringify([{ positivePrompt: 'x', width: 100_000, height: 1 }]),
  })
  expect(response.status).toBe(400)
})

test('OpenAI images: bytes or a URL, and usage', async () => {
  const ask = async (more: object): Promise<unknown> => {
    const response = await fetch(`${sandbox.imagesBaseUrl}/images/generations`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', prompt: 'two words', n: 2, size: '128x192', ...more }),
    })
    return response.json()
  }
  expect(await ask({})).toMatchObject({
    data: [{ b64_json: expect.any(String) }, { b64_json: expect.any(String) }],
    usage: { input_tokens: 2, output_tokens: 50, total_tokens: 52 },
  })
  expect(await ask({ response_format: 'url', n: 1 })).toMatchObject({
    data: [{ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/images\/.+\.png$/) }],
  })
})

test('keeps pictures up to a limit, and always the newest', () => {
  const store = createImageStore(100)
  store.keep('a', Buffer.alloc(60))
  store.keep('b', Buffer.alloc(60))
  expect([store.find('a'), store.find('b')?.length]).toEqual([undefined, 60])
  store.keep('c', Buffer.alloc(500))
  expect([store.find('b'), store.find('c')?.length]).toEqual([undefined, 500])
})

test('a PNG of two pixels, byte for byte', async () => {
  const png = await encodePng({
    width: 2,
    height: 1,
    pixels: Uint8Array.of(0, 1),
    palette: Uint8Array.of(255, 0, 0, 0, 0, 255),
  })
  expect(png.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a')
  expect(png.subarray(12, 29).toString('latin1')).toBe('IHDR\0\0\0\x02\0\0\0\x01\x08\x03\0\0\0')
  // The checksum of an empty IEND chunk is a well-known constant.
  expect(png.subarray(-12).toString('hex')).toBe('0000000049454e44ae426082')
})
