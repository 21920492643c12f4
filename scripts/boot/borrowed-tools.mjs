import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const file = fileURLToPath(new URL('../../node_modules/.cache/farebox/tools.json', import.meta.url))

/** The Node and the `PATH` that npm lent to an earlier run, while they exist: npm needs a second. */
export function borrowedTools() {
  try {
    const tools = JSON.parse(readFileSync(file, 'utf8'))
    return existsSync(tools.node) && existsSync(tools.bin) ? tools : undefined
  } catch {
    return undefined
  }
}

/** Keeps what npm lends to this run. */
export function rememberTools() {
  const path = process.env['PATH'] ?? ''
  const bin = path.split(delimiter).find((folder) => folder.includes('_npx'))
  if (bin === undefined) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify({ node: process.execPath, bin: join(bin, 'pnpm'), path }))
}
