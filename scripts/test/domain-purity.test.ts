import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { layers } from '../import-rules/layers.ts'
import { root } from '../packages/workspace.ts'
import { exampleProblems } from '../readmes/compile-examples.ts'

const machine = [
  'process.exit()',
  'console.log(1)',
  'setTimeout(() => {}, 1)',
  "fetch('x')",
  'Buffer.alloc(1)',
  'new TextEncoder()',
  "import 'node:fs'",
  "import { readFileSync } from 'node:fs'; readFileSync('x')",
]

/** The project that compiles a package's root: the whole package, or only the root if it has other entry points. */
function domainProject(name: string): ts.ParsedCommandLine {
  const folder = join(root, 'packages', name)
  const mixed = join(folder, 'tsconfig.domain.json')
  const file = existsSync(mixed) ? mixed : join(folder, 'tsconfig.json')
  const { config } = ts.readConfigFile(file, (path) => ts.sys.readFile(path))
  return ts.parseJsonConfigFileContent(config, ts.sys, dirname(file))
}

const domain = layers.filter(({ node }) => node !== 'everywhere').map(({ name }) => name)

test('these packages are pure', () => {
  expect(domain).toEqual([
    'money',
    'pricing',
    'tokenizer',
    'catalogs',
    'api',
    'wires',
    'ledger',
    'settings',
  ])
})

// The project's files are compiled too, so a dependency that adds Node's types would show here.
describe.each(domain)('the root of %s', (name) => {
  test('is compiled without Node and browser globals', () => {
    const { options, fileNames } = domainProject(name)
    const plants = machine.map((code, i) => ({
      path: join(root, 'packages', name, 'src', `planted-${i}.ts`),
      where: code,
      code: `${code}\nexport {}\n`,
    }))
    const problems = exampleProblems(plants, { ...options, noEmit: true }, fileNames)
    const caught = machine.filter((code) => problems.some((line) => line.startsWith(`${code}: `)))
    expect(caught).toEqual(machine)
  })
})
