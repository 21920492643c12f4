import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { FareboxError } from '@farebox/client'
import type { CommandIo } from '../terminal/command-io.ts'
import { createFile } from '../terminal/create-file.ts'
import { isMissing } from '../terminal/error-code.ts'
import { statePath } from '../terminal/state-path.ts'
import { writeState } from '../terminal/write-state.ts'

/**
 * The key that apps on this machine send: `FAREBOX_LOCAL_KEY`, or one that is created once and
 * kept, so that apps need to be configured only once. Processes that start together share one.
 */
export async function localKey({ environment }: Pick<CommandIo, 'environment'>): Promise<string> {
  const given = environment['FAREBOX_LOCAL_KEY']?.trim()
  if (given) return given
  const path = statePath('local-key', environment)
  const kept = await keyIn(path)
  if (kept !== undefined) return kept
  const key = `farebox-${randomBytes(16).toString('hex')}`
  const isCreated = await writeState(path, async () => await createFile(path, `${key}\n`))
  const shared = isCreated ? key : await keyIn(path)
  if (shared === undefined) throw noKeyIn(path)
  return shared
}

/** `undefined` if there is no file. */
async function keyIn(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => error)
  if (typeof text === 'string' && text.trim() !== '') return text.trim()
  if (isMissing(text)) return undefined
  throw noKeyIn(path, text)
}

function noKeyIn(path: string, cause?: unknown): FareboxError {
  return new FareboxError(
    'invalid_option',
    `${path} contains no key, or cannot be read. Remove it, or set FAREBOX_LOCAL_KEY.`,
    { cause },
  )
}
