import { describe, expect, test } from 'vitest'
import { compareLists, listedDependencies } from '../dependency-list/compare.ts'
import { moduleDoors, specifierOf } from '../packages/workspace.ts'
import { packagePageProblems } from '../readmes/package-page.ts'
import { anchors, codeBlocks, npmScripts, relativeLinks } from '../readmes/parse-markdown.ts'
import { measureFunctions, percentile } from '../shape/measure-functions.ts'

describe('the dependency list', () => {
  const page = [
    '| package | used by | reason |',
    '|---|---|---|',
    '| `viem` | devnet | RPC |',
    '| `zod` | api |  |',
    'Text that names `pg` | in passing |',
  ].join('\n')

  test('contains the rows with a reason', () => {
    expect(listedDependencies(page)).toEqual(['viem'])
  })

  test('differs in both directions', () => {
    expect(compareLists(['viem', 'pg', 'pg'], ['viem', 'left-pad'])).toEqual({
      missing: ['pg'],
      stale: ['left-pad'],
    })
  })
})

describe('the entry points of a package', () => {
  test('are the modules with types', () => {
    const doors = moduleDoors({
      '.': { types: './a.d.ts', default: './a.js' },
      './sql': { types: './b.d.ts', default: './b.js' },
      './table.bin': './assets/table.bin',
      './package.json': './package.json',
    })
    expect(doors.map((door) => specifierOf('@farebox/ledger', door))).toEqual([
      '@farebox/ledger',
      '@farebox/ledger/sql',
    ])
  })
})

describe('the shape of functions', () => {
  const text = `
export function outer(): number {
  const inner = (): number => {
    return 1
  }
  return inner()
}
type Port = { send(): void }
class Fault { explain(): string { return '' } }
`

  test('counts the lines of each with a body, by name', () => {
    const shapes = measureFunctions('a.ts', text).map(({ name, line, lines }) => [
      name,
      line,
      lines,
    ])
    expect(shapes).toEqual([
      ['outer', 2, 6],
      ['inner', 3, 3],
      ['explain', 9, 1],
    ])
  })

  test('a percentile is an element of the list', () => {
    const sorted = Array.from({ length: 100 }, (_, i) => i + 1)
    expect([0.5, 0.9, 0.99, 1].map((share) => percentile(sorted, share))).toEqual([
      51, 91, 100, 100,
    ])
    expect(percentile([], 0.5)).toBe(0)
  })
})

describe('a page', () => {
  const page = [
    'Run `npm test`, then `npm run demo` or `npm run demo`; see [the rules](docs/rules.md#one).',
    'Not [this](https://example.com) and not [that](#below).',
    '```ts',
    'const a = 1',
    '```',
    '```',
    'plain',
    '```',
  ].join('\n')

  test('has code blocks with their lines', () => {
    expect(codeBlocks(page)).toEqual([
      { language: 'ts', line: 3, code: 'const a = 1\n' },
      { language: '', line: 6, code: 'plain\n' },
    ])
  })

  test('names scripts and links', () => {
    expect(npmScripts(page)).toEqual(['test', 'demo'])
    expect(relativeLinks(page)).toEqual([
      { target: 'docs/rules.md', anchor: 'one' },
      { target: '', anchor: 'below' },
    ])
  })

  test('has the anchors of its headings, not of comments in code', () => {
    const text = '# Keys: in a `KMS`, e.g. [yours](a.md#b)\n```sh\n# no heading\n```\n## Kill -9\n'
    expect(anchors(text)).toEqual(['keys-in-a-kms-eg-yours', 'kill--9'])
  })
})

describe('the page of a package', () => {
  const page = [
    '```sh\nnpm install viem@2 @farebox/money\n```\n',
    "```ts\nimport '@farebox/money'\n```\n",
    '## When to use it\n\nIt is exact.\n',
    '| you want | use |\n|---|---|\n| prices | [pricing](../pricing/README.md) |\n',
    '## Dependencies\n',
  ]

  test('has an install line, an example, when to use it, and links by task', () => {
    expect(packagePageProblems(page.join('\n'), '@farebox/money')).toEqual([])
    expect(packagePageProblems(page.join('\n'), '@farebox/pricing')).toHaveLength(1)
    const without = [0, 1, 2, 3].map((left) => page.filter((_, index) => index !== left).join('\n'))
    expect(without.map((text) => packagePageProblems(text, '@farebox/money')[0])).toEqual([
      'no `npm install … @farebox/money`',
      'no example',
      'no paragraph under "## When to use it"',
      'no links under "| you want | use |"',
    ])
  })

  test('an install line names every package that the first example imports, and its types', () => {
    const imports = [
      "import { parseUsd } from '@farebox/money'",
      "import {\n  get,\n} from 'node:http'",
      "import { exact } from './exact.ts'",
      "import {\n  mnemonicToAccount,\n} from 'viem/accounts'",
      "import express, { type Express } from 'express'",
    ]
    const problems = packagePageProblems(
      page.join('\n').replace("import '@farebox/money'", imports.join('\n')),
      '@farebox/money',
    )
    expect(problems).toEqual([
      'no express in `npm install`, which the first example needs',
      'no @types/express in `npm install`, which the first example needs',
    ])
  })
})
