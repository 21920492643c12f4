import { accessSync, constants, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The first of the named programs found in PATH. */
export function findOnPath(...names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => isExecutable(path))
}

/** The named program in the folder of the highest version, such as `PARENT/16/bin/NAME`. */
export function findInVersionedFolders(pattern: VersionedFolder, name: string): string | undefined {
  return versionsIn(pattern)
    .sort((a, b) => b.version - a.version)
    .map(({ folder }) => join(folder, name))
    .find((path) => isExecutable(path))
}

export type VersionedFolder = {
  readonly parent: string
  /** Matches a folder's name; its first group is the version. */
  readonly match: RegExp
  /** The folder of the programs inside it. */
  readonly bin: string
}

function versionsIn({
  parent,
  match,
  bin,
}: VersionedFolder): { folder: string; version: number }[] {
  return namesIn(parent).flatMap((entry) => {
    const version = match.exec(entry)?.[1]
    return version === undefined
      ? []
      : [{ folder: join(parent, entry, bin), version: Number.parseFloat(version) }]
  })
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
