import { writeFile } from 'node:fs/promises'
import type { ImageResultBody } from '@farebox/api'
import { Command } from 'commander'
import { FareboxError } from '../farebox-error.ts'
import { type CommandIo, clientFor, writeResult } from './command-context.ts'
import { integerOption } from './integer-option.ts'
import { paymentLines, receiptLine } from './payment-lines.ts'

type ImageOptions = {
  readonly model?: string
  readonly width?: number
  readonly height?: number
  readonly count?: number
  readonly steps?: number
  readonly out?: string
}

/** `farebox image "prompt"`: generates images, and writes their URLs or files. */
export function imageCommand(io: CommandIo): Command {
  return new Command('image')
    .description('generate an image and pay for it')
    .argument('<prompt>', 'description of the image')
    .option('-m, --model <id>', 'the model (default: chosen by the gateway)')
    .option('--width <pixels>', '128 to 2048, divisible by 64', integerOption)
    .option('--height <pixels>', '128 to 2048, divisible by 64', integerOption)
    .option('-n, --count <images>', '1 to 4', integerOption)
    .option('--steps <count>', 'number of steps, for models that support it', integerOption)
    .option('-o, --out <file>', 'save the image to this file; further images get a number')
    .action(async (prompt: string, options: ImageOptions, command: Command) => {
      const client = await clientFor(command, io)
      const { model, width, height, count, steps, out } = options
      const { result, receipt } = await client.images.generate(
        {
          prompt,
          ...(model !== undefined && { model }),
          ...(width !== undefined && { width }),
          ...(height !== undefined && { height }),
          ...(count !== undefined && { numberResults: count }),
          ...(steps !== undefined && { steps }),
          ...(out !== undefined && { response_format: 'b64_json' as const }),
        },
        { signal: io.signal },
      )
      const text = out === undefined ? imageUrls(result) : await saveImages(result, out)
      writeResult(command, io, { json: result, text: text.join('\n') })
      if (receipt === undefined) return
      io.note(receiptLine(receipt))
      if (receipt.paymentId !== undefined) {
        io.note(paymentLines(await client.payment(receipt.paymentId, { signal: io.signal })))
      }
    })
}

function imageUrls(result: ImageResultBody): readonly string[] {
  return result.images.map((image) => image.url)
}

async function saveImages(result: ImageResultBody, out: string): Promise<readonly string[]> {
  const paths = result.images.map((_, index) => (index === 0 ? out : numbered(out, index + 1)))
  await Promise.all(
    result.images.map(async ({ b64_json: data }, index) => {
      if (data === undefined)
        throw new FareboxError('invalid_response', 'The response contains an image without data.')
      await writeFile(paths[index] ?? out, Buffer.from(data, 'base64'))
    }),
  )
  return paths
}

function numbered(path: string, number: number): string {
  return path.replace(/(\.[^./\\]*)?$/, `-${number}$1`)
}
