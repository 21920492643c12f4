import { type Connection, sendJson, wait } from '../wire/connection.ts'
import { failEarly } from '../wire/early-faults.ts'
import { type Instructions, numberFrom, withoutInstructions } from '../wire/instructions.ts'
import type { LogEntry } from '../wire/request-log.ts'
import { seededBy } from '../wire/seeded.ts'
import { textOf, type WireRecord, wholeNumber } from '../wire/wire-reading.ts'
import { drawPicture } from './draw-picture.ts'
import type { ImageStore } from './image-store.ts'
import { encodePng } from './png.ts'

/** One image request with everything that determines its result. */
export type ImageExchange = {
  readonly connection: Connection
  readonly task: WireRecord
  readonly prompt: string
  readonly instructions: Instructions
  readonly entry: LogEntry
  readonly store: ImageStore
  readonly origin: string
  readonly delay: number
  readonly now: number
}

type Drawn = {
  readonly id: string
  readonly url: string
  readonly png: Buffer
  readonly seed: number
}

/** Runware's `imageInference` task. */
export async function answerRunware(exchange: ImageExchange): Promise<void> {
  const { connection, task, instructions, entry } = exchange
  if ((await begin(exchange)) === 'responded') return
  const size = {
    width: wholeNumber(task['width'], 1024),
    height: wholeNumber(task['height'], 1024),
  }
  const requested = wholeNumber(task['numberResults'], 1)
  const drawn = await drawAll(exchange, size, requested)
  const { taskUUID, outputType } = task
  const data = drawn.map((picture) => ({
    taskType: 'imageInference',
    taskUUID,
    imageUUID: picture.id,
    ...(outputType === 'base64Data'
      ? { imageBase64Data: picture.png.toString('base64') }
      : { imageURL: picture.url }),
    seed: picture.seed,
    NSFWContent: instructions.has('nsfw'),
    ...(task['includeCost'] === true && { cost: costOf(exchange, size) }),
  }))
  const missing = requested > drawn.length
  const error = {
    code: 'sandboxFault',
    message: 'The sandbox made fewer images, as instructed',
    taskUUID,
  }
  entry.end('complete')
  sendJson(connection, { status: 200, body: { data, ...(missing && { errors: [error] }) } })
}

/** OpenAI's `POST /images/generations`. */
export async function answerOpenAiImages(exchange: ImageExchange): Promise<void> {
  const { connection, task, entry } = exchange
  if ((await begin(exchange)) === 'responded') return
  const [width = 1024, height = 1024] = (textOf(task['size']) || '1024x1024').split('x').map(Number)
  const size = { width, height }
  const drawn = await drawAll(exchange, size, wholeNumber(task['n'], 1))
  const textTokens = Math.max(1, exchange.prompt.split(/\s+/).length)
  const imageTokens = drawn.length * Math.ceil((width * height) / 1000)
  entry.end('complete')
  const body = {
    created: Math.floor(exchange.now / 1000),
    output_format: 'png',
    data: drawn.map(({ png, url }) =>
      task['response_format'] === 'url' ? { url } : { b64_json: png.toString('base64') },
    ),
    usage: {
      input_tokens: textTokens,
      input_tokens_details: { text_tokens: textTokens, image_tokens: 0 },
      output_tokens: imageTokens,
      total_tokens: textTokens + imageTokens,
    },
  }
  sendJson(connection, { status: 200, body })
}

async function begin(exchange: ImageExchange): Promise<'responded' | 'continue'> {
  const { connection, instructions, entry, delay } = exchange
  const outcome = await failEarly(connection, instructions, entry)
  if (outcome === 'continue') await wait(connection, delay)
  return outcome
}

const largest = 4096

async function drawAll(
  exchange: ImageExchange,
  { width, height }: { readonly width: number; readonly height: number },
  requested: number,
): Promise<readonly Drawn[]> {
  if (!(width >= 1 && width <= largest && height >= 1 && height <= largest)) {
    throw new RangeError(
      `${width}x${height} is not a supported size: the sandbox draws 1x1 to ${largest}x${largest}`,
    )
  }
  const { task, instructions, entry, store, origin } = exchange
  const prompt = withoutInstructions(exchange.prompt)
  const count = Math.min(8, requested, numberFrom(instructions, 'images') ?? requested)
  const first = wholeNumber(task['seed'], Math.floor(seededBy(prompt)() * 2 ** 31))
  const drawn: Drawn[] = []
  for (let number = 0; number < count; number += 1) {
    const seed = first + number
    const id = `${entry.id}-${number}`
    const png = await encodePng(drawPicture({ width, height }, prompt, seed))
    store.keep(id, png)
    drawn.push({ id, url: `${origin}/images/${id}.png`, png, seed })
  }
  return drawn
}

/** Dollars for one image: the `cost` instruction, or by pixels and steps, like compute time. */
function costOf(
  { task, instructions }: ImageExchange,
  { width, height }: { readonly width: number; readonly height: number },
): number {
  const instructed = numberFrom(instructions, 'cost')
  if (instructed !== undefined) return instructed
  const megapixels = (width * height) / 1_000_000
  return Number((0.0002 + 0.0001 * megapixels * wholeNumber(task['steps'], 4)).toFixed(6))
}
