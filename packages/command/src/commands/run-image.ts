import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { FareboxError } from '@farebox/client'
import { namingModels } from '../show/naming-models.ts'
import { payFor } from '../show/pay-for.ts'
import { showPayment } from '../show/show-payment.ts'
import { usdcText } from '../show/usdc-text.ts'
import { withinPrice } from '../show/within-price.ts'
import { type CommandContext, colored } from '../terminal/command-io.ts'
import { showProgress } from '../terminal/show-progress.ts'
import { writeResult } from '../terminal/write-result.ts'
import { requireWallet } from '../wallet/find-wallet.ts'
import { openPurse } from '../wallet/open-purse.ts'
import { saveImages, saveNew } from './save-images.ts'

type ImageOptions = {
  readonly model?: string
  readonly width?: number
  readonly height?: number
  readonly count?: number
  readonly steps?: number
  readonly out?: string
}

/** `farebox image <prompt>`: the price first, then the saved files, then their cost. */
export async function runImage(prompt: string, { io, command }: CommandContext): Promise<void> {
  await requireWallet(command.optsWithGlobals(), io)
  const purse = await openPurse(command, io)
  const { model, width, height, count, steps, out } = command.opts<ImageOptions>()
  const path = await imagePath(out, prompt)
  const request = {
    prompt,
    ...(model !== undefined && { model }),
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(count !== undefined && { numberResults: count }),
    ...(steps !== undefined && { steps }),
  }
  const { client } = purse
  const { images } = client
  const { signal } = io
  const estimate = await namingModels(
    { client, model, lister: 'imageCommand', signal },
    async () => await images.estimate(request, { signal }),
  )
  const price = `${estimate.model}, ${estimate.dimensions}, at most ${usdcText(estimate.estimatedCost.usd)}`
  io.note(colored(io, 'dim', price))
  const { result, receipt } = await payFor(purse, io, async (remember) => {
    const body = { ...request, response_format: 'b64_json' as const }
    const made = withinPrice(
      purse,
      estimate.estimatedCost,
      async (maxAmount) => await images.generate(body, { signal, maxAmount }),
    )
    const answer = await showProgress(io, 'drawing', made)
    await remember(answer.receipt?.paymentId)
    return answer
  })
  const { files, unsaved } = await saveImages(result, path, io)
  await showPayment(purse, receipt?.paymentId, io)
  const { images: _, ...rest } = result
  writeResult(command, io, { json: { ...rest, files }, text: files.join('\n') })
  if (unsaved === 0) return
  throw new FareboxError(
    'image_not_saved',
    `${unsaved} of ${result.images.length} images could not be saved. Make room, or choose another --out.`,
  )
}

/** Where to save, in a folder or as a file, checked before anything is paid. */
async function imagePath(out: string | undefined, prompt: string): Promise<string> {
  const name = fileName(prompt)
  const path = out === undefined ? name : await pathWithin(out, name)
  await checkPath(path)
  return path
}

async function pathWithin(out: string, name: string): Promise<string> {
  const isFolder = /[/\\]$/.test(out) || (await isDirectory(out))
  return isFolder ? join(out, name) : out
}

async function isDirectory(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isDirectory() === true
}

/** An image that cannot be saved would be lost. */
async function checkPath(path: string): Promise<void> {
  try {
    await rm(await saveNew(path, new Uint8Array()))
  } catch (cause) {
    const message = `${path} cannot be written. Nothing was paid. Choose another --out.`
    throw new FareboxError('invalid_option', message, { cause })
  }
}

/** A name from the first words of the prompt. */
function fileName(prompt: string): string {
  const words = prompt.toLowerCase().match(/[a-z0-9]+/g) ?? ['image']
  return `${words.slice(0, 6).join('-').slice(0, 80)}.png`
}
