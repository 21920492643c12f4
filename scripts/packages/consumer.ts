import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { run } from './run.ts'
import type { Tarball } from './tarball.ts'
import {
  type Manifest,
  moduleDoors,
  root,
  specifierOf,
  type WorkspacePackage,
} from './workspace.ts'

export type Packed = { readonly source: WorkspacePackage; readonly tarball: Tarball }

/**
 * Installs the tarballs into a separate project and imports every entry point: in Node with `import`
 * and `require`, in TypeScript under NodeNext and bundler resolution with `skipLibCheck` off. Runs
 * every command. A package has one at most, so that `npx` finds it by the package's name.
 */
export function consumerProblems(packed: readonly Packed[], folder: string): readonly string[] {
  const specifiers = packed.flatMap(({ source: { manifest } }) =>
    moduleDoors(manifest.publishConfig?.exports ?? {}).map((door) =>
      specifierOf(manifest.name, door),
    ),
  )
  createProject(packed, folder)
  const install = run('pnpm', ['install', '--no-frozen-lockfile', '--prefer-offline'], {
    cwd: folder,
  })
  if (!install.succeeded) return [`consumer: install failed:\n${install.output}`]
  return [
    ...specifiers.flatMap((specifier) => loadProblems(specifier, folder)),
    ...typeProblems(specifiers, folder),
    ...packed.flatMap(({ source: { manifest } }) => commandProblems(manifest, folder)),
  ]
}

function createProject(packed: readonly Packed[], folder: string): void {
  mkdirSync(folder, { recursive: true })
  const files = packed.map(({ source: { manifest }, tarball }) => ({
    name: manifest.name,
    file: `file:${tarball.file}`,
  }))
  const peers = packed.flatMap(({ source: { manifest } }) =>
    Object.keys(manifest.peerDependencies ?? {}).map((name) => [name, 'catalog:'] as const),
  )
  const manifest = {
    name: 'consumer',
    private: true,
    type: 'module',
    dependencies: Object.fromEntries([
      ...files.map(({ name, file }) => [name, file] as const),
      ...peers,
      ...['@types/node', '@types/express', '@types/better-sqlite3', '@types/pg'].map(
        (name) => [name, 'catalog:'] as const,
      ),
    ]),
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2))
  writeFileSync(join(folder, 'pnpm-workspace.yaml'), settings(files))
}

type LocalFile = { readonly name: string; readonly file: string }

/** The settings and versions of this repository, with its packages replaced by their tarballs. */
function settings(files: readonly LocalFile[]): string {
  const ours = files.map(({ name, file }) => `  '${name}': ${file}\n`).join('')
  return readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')
    .replace(/^packages:\n(?: +[-#] .*\n)+/m, '')
    .replace('overrides:\n', `overrides:\n${ours}`)
}

function loadProblems(specifier: string, folder: string): readonly string[] {
  const ways = [
    { name: 'import', code: `await import('${specifier}')`, type: 'module' },
    { name: 'require', code: `require('${specifier}')`, type: 'commonjs' },
  ]
  return ways.flatMap(({ name, code, type }) => {
    const args = [`--input-type=${type}`, '--eval', code]
    const { succeeded, output } = run(process.execPath, args, { cwd: folder })
    return succeeded ? [] : [`consumer: ${name} of ${specifier} failed:\n${output}`]
  })
}

function commandProblems({ name, bin }: Manifest, folder: string): readonly string[] {
  if (bin === undefined) return []
  const [command = '', ...others] = Object.keys(bin)
  if (others.length > 0)
    return [`${name}: npx takes the only command of a package, and it has more`]
  const { succeeded, output } = run(join(folder, 'node_modules/.bin', command), ['--help'], {
    cwd: folder,
  })
  return succeeded ? [] : [`consumer: ${command} --help of ${name} failed:\n${output}`]
}

function typeProblems(specifiers: readonly string[], folder: string): readonly string[] {
  const file = join(folder, 'consumer.ts')
  writeFileSync(file, specifiers.map((name, i) => `export * as m${i} from '${name}'\n`).join(''))
  const base = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    target: ts.ScriptTarget.ES2023,
    types: ['node'],
  }
  const resolutions = [
    { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
    { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  ]
  return resolutions.flatMap((resolution) =>
    diagnosticsOf(file, { ...base, ...resolution }).map((text) => `consumer: types: ${text}`),
  )
}

/** Errors in our declarations and in the consumer; those in other packages are ignored. */
function diagnosticsOf(file: string, options: ts.CompilerOptions): readonly string[] {
  const host = ts.createCompilerHost(options)
  const at = join(file, '..')
  host.getCurrentDirectory = () => at
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options, host))
    .filter(({ file: where }) => where === undefined || isOurs(where.fileName))
    .map((diagnostic) => ts.formatDiagnostic(diagnostic, host).trim())
}

function isOurs(path: string): boolean {
  return path.includes('/node_modules/@farebox/') || !path.includes('/node_modules/')
}
