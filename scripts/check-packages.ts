// Packs every published package and checks what users would install. Run `npm run build` first.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { consumerProblems } from './packages/consumer.ts'
import { pack, tarballProblems } from './packages/tarball.ts'
import { publishedPackages } from './packages/workspace.ts'

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'farebox-pack-')))
const packed = publishedPackages().map((source) => ({ source, tarball: pack(source, scratch) }))
for (const { source, tarball } of packed) {
  console.log(`${source.manifest.name.padEnd(26)} ${String(tarball.bytes).padStart(9)} bytes`)
}

const problems = [
  ...packed.flatMap(({ source, tarball }) => tarballProblems(source, tarball)),
  ...consumerProblems(packed, join(scratch, 'consumer')),
]
rmSync(scratch, { recursive: true, force: true })

for (const problem of problems) console.error(problem)
console.log(`packages: ${packed.length} packed, ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1
