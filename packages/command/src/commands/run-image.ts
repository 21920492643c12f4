import { type FileHandle, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { ImageResultBody } from '@farebox/api'
import { FareboxError } from '@farebox/client'
import { namingModels } from '../show/naming-models.ts'
import { payFor } from '../show/pay-for.ts'
import { showPayment } from '../show/show-payment.ts'
import { usdcText } from '../show/usdc-text.ts'
import { withinPrice } from '../show/within-price.ts'
import { type CommandContext, type CommandIo, colored } from '../terminal/command-io.ts'
import { errorCode } from '../terminal/error-code.ts'
import { showProgress } from '../terminal/show-progress.ts'
import { writeResult } from '../terminal/write-result.ts'
import { requireWallet } from '../wallet/find-wallet.ts'
import { openPurse } from '../wallet/open-purse.ts'

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
  const files = await saveImages(result, path, io)
  await showPayment(purse, receipt?.paymentId, io)
  const { images: _, ...rest } = result
  writeResult(command, io, { json: { ...rest, files }, text: files.join('\n') })
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

async function saveImages(
  { images }: ImageResultBody,
  out: string,
  io: CommandIo,
): Promise<readonly string[]> {
  const saved: string[] = []
  for (const { b64_json: data, url } of images) {
    // The image is paid for: without its data, at least its URL is shown.
    saved.push(data === undefined ? url : await saveSomewhere(out, Buffer.from(data, 'base64'), io))
  }
  return saved
}

/** The disk may be full, or the folder gone, since the path was checked. The image is paid for. */
async function saveSomewhere(out: string, bytes: Uint8Array, io: CommandIo): Promise<string> {
  try {
    return await saveNew(out, bytes)
  } catch (error) {
    const code = errorCode(error)
    const reason = code === undefined ? '' : ` (${code})`
    io.note(colored(io, 'yellow', `${out} cannot be written${reason}.`))
    return await saveNew(join(tmpdir(), basename(out)), bytes)
  }
}

/** Saves under the first free name: `cat.png`, `cat-2.png`, …; nothing is overwritten. */
async function saveNew(path: string, bytes: Uint8Array): Promise<string> {
  const { name, file } = await openNew(path)
  try {
    await file.writeFile(bytes)
    return name
  } catch (error) {
    await rm(name, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

async function openNew(
  path: string,
): Promise<{ readonly name: string; readonly file: FileHandle }> {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? path : path.replace(/(\.[^./\\]*)?$/, `-${number}$1`)
    try {
      return { name, file: await open(name, 'wx') }
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
}
