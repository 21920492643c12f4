import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

export type BuiltPackage = {
  readonly folder: string
  /** The files that are shipped, relative to the folder. */
  readonly files: readonly string[]
  /** The parts of package.json that name files. */
  readonly doors: unknown
}

const relative = /(["'`])(\.{1,2}\/[^"'`\n]+)\1/g

/**
 * The files of `dist` that no entry point leads to, such as those of an earlier build. A file leads to
 * those that it names by a relative path, and a program to its declarations.
 */
export function unusedFiles({ folder, files, doors }: BuiltPackage): readonly string[] {
  const used = new Set<string>()
  const open = [...namesIn(JSON.stringify(doors), '.')]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    const path = posix.join(folder, file)
    if (used.has(file) || !existsSync(path)) continue
    used.add(file).add(`${file}.map`)
    if (/\.[jt]s$/.test(file)) open.push(...namesIn(readFileSync(path, 'utf8'), file))
  }
  return files.filter((file) => file.startsWith('dist/') && !used.has(file))
}

function namesIn(text: string, from: string): readonly string[] {
  return [...text.matchAll(relative)].flatMap(([, , name = '']) => {
    const file = posix.join(posix.dirname(from), name)
    return [file, file.replace(/\.js$/, '.d.ts')]
  })
}
