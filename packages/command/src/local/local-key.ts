import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { CommandIo } from '../terminal/command-io.ts'
import { statePath } from '../terminal/state-path.ts'

/**
 * The key that apps on this machine send: `FAREBOX_LOCAL_KEY`, or one that is created once and
 * kept, so that apps need to be configured only once.
 */
export async function localKey({ environment }: Pick<CommandIo, 'environment'>): Promise<string> {
  const given = environment['FAREBOX_LOCAL_KEY']
  if (given !== undefined && given !== '') return given
  const path = statePath('local-key', environment)
  const kept = await readFile(path, 'utf8').catch(() => undefined)
  if (kept !== undefined && kept.trim() !== '') return kept.trim()
  const key = `farebox-${randomBytes(16).toString('hex')}`
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `${key}\n`, { mode: 0o600 })
  return key
}
