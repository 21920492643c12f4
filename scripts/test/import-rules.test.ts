import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cruiseTree, type ImportReport } from '../import-rules/cruise.ts'
import { importRules } from '../import-rules/rules.ts'

/** A violation planted in a temporary tree: the file, its import, and the rule that must fire. */
type Plant = { readonly rule: string; readonly file: string; readonly imports: string }

const plants: readonly Plant[] = [
  { rule: 'no-circular', file: 'packages/pricing/src/loop-a.ts', imports: './loop-b.ts' },
  { rule: 'not-to-unresolvable', file: 'packages/pricing/src/lost.ts', imports: './nowhere.ts' },
  {
    rule: 'not-to-unresolvable',
    file: 'packages/pricing/src/closed-door.ts',
    imports: '@farebox/money/secret',
  },
  {
    rule: 'import-packages-by-name',
    file: 'packages/pricing/src/by-path.ts',
    imports: '../../money/src/index.ts',
  },
  {
    rule: 'packages-never-import-apps',
    file: 'packages/devnet/src/up.ts',
    imports: '../../../apps/gateway/src/main.ts',
  },
  {
    rule: 'apps-do-not-import-each-other',
    file: 'apps/gateway/src/across.ts',
    imports: '../../estimator/src/main.ts',
  },
  // Indirect: the estimator's main imports free-endpoints, which imports payments here.
  {
    rule: 'estimator-never-pays',
    file: 'packages/free-endpoints/src/index.ts',
    imports: '@farebox/payments',
  },
  { rule: 'express-only-at-the-edge', file: 'packages/ledger/src/web.ts', imports: 'express' },
  {
    rule: 'source-never-imports-tests',
    file: 'packages/api/src/tested.ts',
    imports: '../test/fixture.ts',
  },
  {
    rule: 'x402-express-is-an-oracle-of-tests',
    file: 'packages/payments/src/oracle.ts',
    imports: 'x402-express',
  },
  { rule: 'layer-money', file: 'packages/money/src/up.ts', imports: '@farebox/pricing' },
  { rule: 'layer-pricing', file: 'packages/pricing/src/up.ts', imports: '@farebox/catalogs' },
  { rule: 'layer-tokenizer', file: 'packages/tokenizer/src/up.ts', imports: '@farebox/catalogs' },
  { rule: 'layer-catalogs', file: 'packages/catalogs/src/up.ts', imports: '@farebox/tokenizer' },
  { rule: 'layer-wires', file: 'packages/wires/src/up.ts', imports: '@farebox/pricing' },
  { rule: 'layer-api', file: 'packages/api/src/up.ts', imports: '@farebox/pricing' },
  { rule: 'layer-ledger', file: 'packages/ledger/src/up.ts', imports: '@farebox/payments' },
  { rule: 'layer-payments', file: 'packages/payments/src/up.ts', imports: '@farebox/devnet' },
  {
    rule: 'layer-provider-proxy',
    file: 'packages/provider-proxy/src/up.ts',
    imports: '@farebox/ledger',
  },
  { rule: 'layer-settings', file: 'packages/settings/src/up.ts', imports: '@farebox/money' },
  { rule: 'layer-storefront', file: 'packages/storefront/src/up.ts', imports: '@farebox/http' },
  { rule: 'layer-http', file: 'packages/http/src/up.ts', imports: '@farebox/storefront' },
  {
    rule: 'layer-free-endpoints',
    file: 'packages/free-endpoints/src/up.ts',
    imports: '@farebox/ledger',
  },
  { rule: 'layer-client', file: 'packages/client/src/up.ts', imports: '@farebox/payments' },
  {
    rule: 'layer-ai-sdk-provider',
    file: 'packages/ai-sdk-provider/src/up.ts',
    imports: '@farebox/api',
  },
  { rule: 'layer-command', file: 'packages/command/src/up.ts', imports: '@farebox/payments' },
  { rule: 'layer-devnet', file: 'packages/devnet/src/aside.ts', imports: '@farebox/money' },
  ...[
    'money',
    'pricing',
    'tokenizer',
    'catalogs',
    'api',
    'wires',
    'ledger',
    'payments',
    'provider-proxy',
    'settings',
    'storefront',
    'http',
    'free-endpoints',
    'client',
    'ai-sdk-provider',
    'command',
    'devnet',
  ].map((name) => ({
    rule: `layer-${name}-external`,
    file: `packages/${name}/src/stranger.ts`,
    imports: 'left-pad',
  })),
  // A room imports a room that builds on it.
  {
    rule: 'rooms-build-on-earlier-rooms',
    file: 'packages/payments/src/chain/up.ts',
    imports: '../gate/gate.ts',
  },
  // A room imports a file of the folder above.
  {
    rule: 'rooms-build-on-earlier-rooms',
    file: 'packages/pricing/src/terms/up.ts',
    imports: '../index.ts',
  },
  { rule: 'domain-is-pure', file: 'packages/money/src/impure.ts', imports: 'node:fs' },
  // Indirect: the root imports a file that imports Node.
  { rule: 'root-never-reaches-node', file: 'packages/ledger/src/index.ts', imports: './sql.ts' },
]

const healthy: Readonly<Record<string, string>> = {
  'packages/pricing/src/loop-b.ts': "import './loop-a.ts'\n",
  'packages/payments/src/gate/gate.ts': 'export const gate = 1\n',
  'packages/api/test/fixture.ts': 'export const fixture = 1\n',
  'packages/ledger/src/sql.ts': "import 'node:fs'\nimport 'kysely'\n",
  'packages/catalogs/src/index.ts': "import '@farebox/pricing'\nimport 'zod'\n",
  'packages/payments/src/express.ts': "import 'express'\nimport '@x402/core'\n",
  'apps/gateway/src/main.ts': "import 'express'\nimport '@farebox/payments'\n",
  'apps/estimator/src/main.ts': "import '@farebox/free-endpoints'\n",
}

const installedPackages = ['express', 'zod', 'kysely', 'left-pad', 'x402-express', '@x402/core']
const packageNames = plants
  .map(({ file }) => /^packages\/([^/]+)/.exec(file)?.[1])
  .filter((name) => name !== undefined)

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function installDependencies(root: string): void {
  for (const name of installedPackages) {
    const folder = join(root, 'node_modules', name)
    write(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', main: 'i.js' }))
    write(join(folder, 'i.js'), '')
  }
}

function createPackage(root: string, name: string): void {
  const folder = join(root, 'packages', name)
  const exports = { '.': { 'farebox-source': './src/index.ts', default: './dist/index.js' } }
  write(join(folder, 'package.json'), JSON.stringify({ name: `@farebox/${name}`, exports }))
  write(join(folder, 'src/index.ts'), 'export {}\n')
  mkdirSync(join(root, 'node_modules/@farebox'), { recursive: true })
  symlinkSync(folder, join(root, 'node_modules/@farebox', name))
}

function createTree(planted: readonly Plant[]): string {
  const root = mkdtempSync(join(tmpdir(), 'farebox-imports-'))
  installDependencies(root)
  for (const name of new Set(packageNames)) createPackage(root, name)
  for (const [path, text] of Object.entries(healthy)) write(join(root, path), text)
  if (planted.length === 0) write(join(root, 'packages/pricing/src/loop-b.ts'), 'export {}\n')
  for (const { file, imports } of planted) write(join(root, file), `import '${imports}'\n`)
  return root
}

describe('a tree with planted violations', () => {
  let root = ''
  let report: ImportReport
  beforeAll(async () => {
    root = createTree(plants)
    report = await cruiseTree(root)
  })
  afterAll(() => {
    rmSync(root, { recursive: true, force: true })
  })

  test.each(plants)('$rule catches $imports in $file', ({ rule, file }) => {
    const seenFrom = rule === 'estimator-never-pays' ? 'apps/estimator/src/main.ts' : file
    expect(report.violations).toContainEqual(expect.objectContaining({ rule, from: seenFrom }))
  })

  test('every rule has a plant', () => {
    const planted = new Set(plants.map(({ rule }) => rule))
    expect(importRules.map(({ name }) => name).filter((name) => !planted.has(name ?? ''))).toEqual(
      [],
    )
  })
})

describe('a tree without', () => {
  let root = ''
  let report: ImportReport
  beforeAll(async () => {
    root = createTree([])
    report = await cruiseTree(root)
  })
  afterAll(() => {
    rmSync(root, { recursive: true, force: true })
  })

  test('is clean', () => {
    expect(report.violations).toEqual([])
  })

  test('was read completely, including edges between packages', () => {
    expect(report.modules).toEqual(expect.arrayContaining(Object.keys(healthy)))
    expect(report.crossings).toEqual([
      'apps/estimator > packages/free-endpoints',
      'apps/gateway > packages/payments',
      'packages/catalogs > packages/pricing',
    ])
  })
})
