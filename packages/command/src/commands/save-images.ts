import { type FileHandle, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { ImageResultBody } from '@farebox/api'
import { type CommandIo, colored } from '../terminal/command-io.ts'
import { errorCode } from '../terminal/error-code.ts'

export type SavedImages = {
  /** The path of each image, or its address if it has no bytes or cannot be saved. */
  readonly files: readonly string[]
  /** How many could not be saved. */
  readonly unsaved: number
}

/** Saves images that are paid for: one that cannot be saved is noted, and the others are saved. */
export async function saveImages(
  { images }: ImageResultBody,
  out: string,
  io: CommandIo,
): Promise<SavedImages> {
  const files: string[] = []
  let unsaved = 0
  for (const { b64_json: data, url } of images) {
    const file =
      data === undefined ? url : await saveSomewhere(out, Buffer.from(data, 'base64'), io)
    if (file === undefined) unsaved += 1
    if (file !== undefined) files.push(file)
    else if (/^https?:/.test(url)) files.push(url)
  }
  return { files, unsaved }
}

/** The disk may be full, or the folder gone, since the path was checked. */
async function saveSomewhere(
  out: string,
  bytes: Uint8Array,
  io: CommandIo,
): Promise<string | undefined> {
  for (const path of [out, join(tmpdir(), basename(out))]) {
    try {
      return await saveNew(path, bytes)
    } catch (error) {
      const code = errorCode(error)
      const reason = code === undefined ? '' : ` (${code})`
      io.note(colored(io, 'yellow', `${path} cannot be written${reason}.`))
    }
  }
  return undefined
}

/** Saves under the first free name: `cat.png`, `cat-2.png`, …; nothing is overwritten. */
export async function saveNew(path: string, bytes: Uint8Array): Promise<string> {
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
