// docs/dependencies.md gives a reason for every dependency of every manifest, and for no others.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareLists, listedDependencies } from './dependency-list/compare.ts'
import { allPackages, root } from './packages/workspace.ts'

const own = allPackages().map(({ manifest }) => manifest.name)
const used = allPackages().flatMap(({ manifest }) =>
  [manifest.dependencies, manifest.devDependencies, manifest.peerDependencies].flatMap((group) =>
    Object.keys(group ?? {}).filter((name) => !own.includes(name)),
  ),
)
const listed = listedDependencies(readFileSync(join(root, 'docs/dependencies.md'), 'utf8'))
const { missing, stale } = compareLists(used, listed)

for (const name of missing)
  console.error(`docs/dependencies.md has no reason for ${name}: add a row`)
for (const name of stale)
  console.error(`docs/dependencies.md lists ${name}, which is not used: remove the row`)
console.log(`dependencies: ${listed.length} listed, ${missing.length + stale.length} problems`)
process.exitCode = missing.length + stale.length === 0 ? 0 : 1
