// Checks every import against the rules, and checks that every file was read.
import { cruiseTree } from './import-rules/cruise.ts'
import { unplannedRooms } from './import-rules/rooms.ts'
import { allPackages, root } from './packages/workspace.ts'
import { trackedFiles } from './tracked-files.ts'

const sources = ['packages/*.ts', 'apps/*.ts', 'apps/*.tsx', ':!:**/fixtures/**']

/** `apps/gateway > packages/money` for each dependency that a manifest declares on this workspace. */
function declaredCrossings(): readonly string[] {
  const members = allPackages().filter(({ path }) => /^(packages|apps)\//.test(path))
  const paths = new Map(members.map(({ path, manifest }) => [manifest.name, path]))
  return members.flatMap(({ path, manifest: { dependencies = {} } }) =>
    Object.entries(dependencies)
      .filter(([, range]) => range.startsWith('workspace:'))
      .map(([name]) => `${path} > ${paths.get(name) ?? name}`),
  )
}

const { violations, modules, crossings } = await cruiseTree(root)
const seen = new Set(modules)
const problems = [
  ...violations.map(({ rule, from, to }) => `${rule}: ${from} -> ${to}`),
  ...trackedFiles(sources)
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
