import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root: string = join(import.meta.dirname, '..', '..')

/** The fields of a package.json that the checks use. */
export type Manifest = {
  readonly name: string
  readonly version: string
  readonly exports?: Readonly<Record<string, Door>>
  readonly bin?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly publishConfig?: { readonly exports?: Readonly<Record<string, Door>> }
}

/** One entry point (door) of `exports`: a path, or paths by condition. */
export type Door = string | Readonly<Record<string, string | Readonly<Record<string, string>>>>

export type WorkspacePackage = {
  /** `packages/money` */
  readonly path: string
  readonly folder: string
  readonly manifest: Manifest
}

/** The published packages, by name. */
export function publishedPackages(): readonly WorkspacePackage[] {
  return packagesIn('packages')
}

/** Every package.json of the repository: the root, the packages, the apps, the examples. */
export function allPackages(): readonly WorkspacePackage[] {
  const single = ['.', 'examples'].map((path) => {
    const folder = join(root, path)
    return { path, folder, manifest: readManifest(folder) }
  })
  return [...single, ...packagesIn('packages'), ...packagesIn('apps')]
}

function packagesIn(parent: string): readonly WorkspacePackage[] {
  return readdirSync(join(root, parent))
    .sort()
    .map((name) => {
      const folder = join(root, parent, name)
      return { path: `${parent}/${name}`, folder, manifest: readManifest(folder) }
    })
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** Entry points that are modules: all except data and `./package.json`. */
export function moduleDoors(exports: Readonly<Record<string, Door>>): readonly string[] {
  return Object.entries(exports)
    .filter(([, door]) => typeof door !== 'string' && door['types'] !== undefined)
    .map(([name]) => name)
}

/** `@farebox/ledger/sql` for the entry point `./sql`. */
export function specifierOf(name: string, door: string): string {
  return door === '.' ? name : `${name}/${door.slice(2)}`
}
