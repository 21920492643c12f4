// Checks every import against the rules, and checks that every file was read.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cruiseTree } from './import-rules/cruise.ts'
import { unplannedRooms } from './import-rules/rooms.ts'

const root = join(import.meta.dirname, '..')

function trackedSources(): readonly string[] {
  const patterns = ['packages/*.ts', 'apps/*.ts', 'apps/*.tsx', ':!:**/fixtures/**']
  return execFileSync('git', ['ls-files', '--', ...patterns], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '')
}

type Manifest = { readonly name: string; readonly dependencies?: Readonly<Record<string, string>> }

/** The manifests of this workspace by folder. */
function readManifests(): readonly (readonly [folder: string, manifest: Manifest])[] {
  const manifests = execFileSync(
    'git',
    ['ls-files', '--', 'packages/*/package.json', 'apps/*/package.json'],
    { cwd: root, encoding: 'utf8' },
  )
  return manifests
    .split('\n')
    .filter((line) => line !== '')
    .map((path) => [
      path.replace('/package.json', ''),
      JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest,
    ])
}

/** `apps/gateway > packages/money` for each dependency that a manifest declares on this workspace. */
function declaredCrossings(): readonly string[] {
  const manifests = readManifests()
  const folders = new Map(manifests.map(([folder, { name }]) => [name, folder]))
  return manifests.flatMap(([folder, { dependencies = {} }]) =>
    Object.entries(dependencies)
      .filter(([, range]) => range.startsWith('workspace:'))
      .map(([name]) => `${folder} > ${folders.get(name) ?? name}`),
  )
}

const { violations, modules, crossings } = await cruiseTree(root)
const seen = new Set(modules)
const problems = [
  ...violations.map(({ rule, from, to }) => `${rule}: ${from} -> ${to}`),
  ...trackedSources()
    .filter((path) => !seen.has(path))
    .map((path) => `not read: ${path}`),
  ...unplannedRooms(modules).map((path) => `not in the table of rooms: ${path}`),
  ...declaredCrossings()
    .filter((crossing) => !crossings.includes(crossing))
    .map((crossing) => `declared, never imported: ${crossing}`),
]

for (const problem of problems) console.error(problem)
console.log(
  `imports: ${modules.length} modules, ${crossings.length} edges between packages, ${problems.length} problems`,
)
process.exitCode = problems.length === 0 && crossings.length > 0 ? 0 : 1
