import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import budgets from '../package-budgets.json' with { type: 'json' }
import { run } from './run.ts'
import { unusedFiles } from './unused-files.ts'
import { root, type WorkspacePackage } from './workspace.ts'

export type Tarball = { readonly file: string; readonly bytes: number }

/** Packs a built package as `npm publish` would. */
export function pack({ folder, manifest }: WorkspacePackage, destination: string): Tarball {
  const { succeeded, output } = run('pnpm', ['pack', '--pack-destination', destination], {
    cwd: folder,
  })
  if (!succeeded) throw new Error(`pnpm pack of ${manifest.name} failed:\n${output}`)
  const base = manifest.name.replace('@', '').replace('/', '-')
  const file = join(destination, `${base}-${manifest.version}.tgz`)
  return { file, bytes: statSync(file).size }
}

/** All problems of a tarball, one line each: its files, its size, its types. */
export function tarballProblems(source: WorkspacePackage, tarball: Tarball): readonly string[] {
  const { path, manifest } = source
  const publint = run('publint', ['run', '--strict', tarball.file], { cwd: root })
  const attw = run('attw', [tarball.file, '--profile', 'esm-only', '--format', 'ascii'], {
    cwd: root,
  })
  return [
    ...fileProblems(source, tarball),
    ...budgetProblems(path, tarball),
    ...(publint.succeeded ? [] : [`publint:\n${publint.output}`]),
    ...(attw.succeeded ? [] : [`attw:\n${attw.output}`]),
  ].map((problem) => `${manifest.name}: ${problem}`)
}

const allowed = /^(package\.json|README\.md|LICENSE|NOTICE|(dist|assets|contracts)\/.+)$/
const required = ['package.json', 'README.md', 'LICENSE', 'dist/index.js', 'dist/index.d.ts']

/** Typed arrays have a parameter since TypeScript 5.7. */
const newerTypes = /\b(Uint8Array|Buffer)</

function textOf(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'utf8')
}

function fileProblems(
  { folder, manifest }: WorkspacePackage,
  { file }: Tarball,
): readonly string[] {
  const { output } = run('tar', ['tzf', file], { cwd: root })
  const files = output.split('\n').map((name) => name.replace(/^package\//, ''))
  const doors = [manifest.publishConfig?.exports, manifest.bin]
  return [
    ...files.filter((name) => !allowed.test(name)).map((name) => `ships ${name}`),
    ...files
      .filter((name) => name.endsWith('.d.ts') && newerTypes.test(textOf(folder, name)))
      .map((name) => `ships ${name}, which TypeScript 5.6 cannot read`),
    ...required.filter((name) => !files.includes(name)).map((name) => `lacks ${name}`),
    ...unusedFiles({ folder, files, doors }).map(
      (name) => `ships ${name} of an earlier build: remove dist, and build again`,
    ),
  ]
}

function budgetProblems(path: string, { bytes }: Tarball): readonly string[] {
  const budget = (budgets as Readonly<Record<string, number>>)[path]
  if (budget === undefined) return [`has no budget: its tarball is ${bytes} bytes`]
  return bytes <= budget ? [] : [`tarball of ${bytes} bytes is over its budget of ${budget}`]
}
