import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const file = fileURLToPath(new URL('../../node_modules/.cache/farebox/tools.json', import.meta.url))

/** The folder with the programs that npm lent to an earlier run: asking npm takes a second. */
export function borrowedFolder(names) {
  try {
    const { bin } = JSON.parse(readFileSync(file, 'utf8'))
    return names.every((name) => existsSync(join(bin, name))) ? bin : undefined
  } catch {
    return undefined
  }
}

/** Keeps what npm lends to this run. */
export function rememberTools() {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const bin = folders.find((folder) => folder.includes('_npx'))
  if (bin === undefined) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify({ bin }))
}
