import { cruise, type ICruiseResult, type IModule } from 'dependency-cruiser'
import { importRules } from './rules.ts'

/** An import that violates a rule. */
export type ImportViolation = { readonly rule: string; readonly from: string; readonly to: string }

export type ImportReport = {
  readonly violations: readonly ImportViolation[]
  /** Files of this repository that were read. */
  readonly modules: readonly string[]
  /** Imports between packages and apps, as `packages/a > packages/b`, without duplicates. */
  readonly crossings: readonly string[]
}

/** Checks every import below `packages/` and `apps/` of a tree against the rules. */
export async function cruiseTree(root: string): Promise<ImportReport> {
  const { output } = await cruise(
    ['packages', 'apps'],
    {
      baseDir: root,
      validate: true,
      ruleSet: { forbidden: [...importRules] },
      tsPreCompilationDeps: true,
      combinedDependencies: true,
      doNotFollow: { path: '(^|/)node_modules/' },
      exclude: { path: '(^|/)(dist|coverage|fixtures|\\.turbo)/' },
    },
    {
      exportsFields: ['exports'],
      conditionNames: ['farebox-source', 'types', 'import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mts', '.js', '.mjs', '.json', '.d.ts'],
      bustTheCache: true,
    },
  )
  if (typeof output === 'string')
    throw new Error('dependency-cruiser returned text instead of a result')
  return reportOf(output)
}

function reportOf({ modules, summary }: ICruiseResult): ImportReport {
  const ours = modules.filter(({ source }) => homeOf(source) !== undefined)
  return {
    violations: summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
    modules: ours.map(({ source }) => source),
    crossings: [...new Set(ours.flatMap(crossingsOf))].sort(),
  }
}

function crossingsOf({ source, dependencies }: IModule): readonly string[] {
  const home = homeOf(source)
  return dependencies.flatMap(({ resolved }) => {
    const target = homeOf(resolved)
    return target === undefined || target === home ? [] : [`${String(home)} > ${target}`]
  })
}

/** `packages/money` of `packages/money/src/index.ts`; undefined for other files. */
function homeOf(path: string): string | undefined {
  if (path.includes('node_modules/')) return undefined
  return /^(?:packages|apps)\/[^/]+/.exec(path)?.[0]
}
