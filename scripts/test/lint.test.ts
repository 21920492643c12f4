import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

/** Faults that the types alone show, and those for which the rules are ours. */
const planted = `
export async function charge(): Promise<void> {}
export function pay(fast: boolean, again = false): void {
  charge()
  console.log(fast, again, new Date(), Date.now(), process.env['KEY'])
}
export function codeOf(kind: 'a' | 'b'): number {
  switch (kind) {
    case 'a':
      return kind.length ? 1 : 2
  }
  return JSON.parse('0')
}
`

const files = {
  'packages/money/src/planted.ts': planted,
  'packages/money/test/planted.test.ts': planted,
  'apps/gateway/src/planted.ts': planted,
  'apps/gateway/src/config.ts': planted,
}

type Diagnostic = { readonly code: string; readonly filename: string }

/** The rules that each planted file breaks. */
function lintPlanted(): Readonly<Record<string, readonly string[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-lint-'))
  for (const name of ['.oxlintrc.jsonc', 'scripts/lint', 'tsconfig.base.json', 'tsconfig.json']) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const sources = JSON.stringify({ extends: '../../tsconfig.base.json', include: ['src'] })
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
    if (name.includes('/src/')) {
      writeFileSync(join(folder, dirname(dirname(name)), 'tsconfig.json'), sources)
    }
  }
  const program = join(root, 'node_modules', '.bin', 'oxlint')
  const { stdout, stderr } = spawnSync(program, ['--format=json', ...Object.keys(files)], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  const { diagnostics } = JSON.parse(stdout) as { readonly diagnostics: readonly Diagnostic[] }
  return Object.fromEntries(
    Object.keys(files).map((name) => {
      const codes = diagnostics.filter(({ filename }) => filename === name).map(({ code }) => code)
      return [name, [...new Set(codes)].toSorted()]
    }),
  )
}

test('lint reads types, and each kind of file has its rules', () => {
  const everywhere = ['typescript(no-floating-promises)', 'typescript(switch-exhaustiveness-check)']
  const inSources = [
    'house(no-boolean-parameter)',
    'typescript(no-floating-promises)',
    'typescript(no-unsafe-call)',
    'typescript(no-unsafe-member-access)',
    'typescript(no-unsafe-return)',
    'typescript(switch-exhaustiveness-check)',
  ]
  const inDomain = [
    'eslint(no-console)',
    'eslint(no-restricted-properties)',
    'house(no-wall-clock)',
  ]
  const environment = 'node(no-process-env)'
  expect(lintPlanted()).toEqual({
    'packages/money/src/planted.ts': [...inSources, ...inDomain, environment].toSorted(),
    'packages/money/test/planted.test.ts': everywhere,
    'apps/gateway/src/planted.ts': [...inSources, environment].toSorted(),
    'apps/gateway/src/config.ts': inSources,
  })
})
