// A package states a Node that its dependencies run on: npm installs it there without a warning.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

type Manifest = {
  readonly name: string
  readonly private?: boolean
  readonly engines?: { readonly node?: string }
  readonly dependencies?: Readonly<Record<string, string>>
}

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest
}

/** The lowest version in a range such as `^22.19 || >=26`, as a number: 22.019. Any version is 0. */
function lowest(range = '>=0'): number {
  const versions = range.split('||').map((part) => /(\d+)(?:\.(\d+))?/.exec(part))
  return Math.min(
    ...versions.map((found) => Number(found?.[1] ?? 0) + Number(found?.[2] ?? 0) / 1e3),
  )
}

/** Runs on Node 20 too, as `npm run check -- runtimes` shows. */
const runsOnOlder = ['eventsource-parser']

const manifests = globSync('packages/*/package.json', { cwd: root })

test('the lowest version of a range is read', () => {
  expect(lowest('^22.19 || ^24.11 || >=26')).toBe(22.019)
  expect(lowest('>=20')).toBe(20)
  expect(lowest()).toBe(0)
})

test.each(manifests)('%s runs on every Node that it states', (file) => {
  const { engines, dependencies = {} } = readManifest(join(root, file))
  const newer = Object.keys(dependencies).filter((name) => {
    if (runsOnOlder.includes(name)) return false
    const needed = readManifest(
      join(root, dirname(file), 'node_modules', name, 'package.json'),
    ).engines
    return lowest(needed?.node) > lowest(engines?.node)
  })
  expect(newer).toEqual([])
})
