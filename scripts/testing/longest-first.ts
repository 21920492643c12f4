import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Where tests start processes and chains, the slowest first; tests elsewhere take a moment. */
const slowFolders = [
  '.slow.test.ts',
  '/payments/test/simulation/',
  '/gateway/test/paid/',
  '/gateway/test/contract/process',
  '/payments/test/gate/replicas',
  '/gateway/test/commands/',
  '/devnet/test/anvil/watchdog',
  '/gateway/test/',
  '/examples/',
  '/ledger/test/sql/',
  '/payments/test/',
]

/** Long files first: otherwise one of them runs alone at the end while other cores are idle. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files)
    return bySize.toSorted((a, b) => rankOf(a.moduleId) - rankOf(b.moduleId))
  }
}

function rankOf(path: string): number {
  const rank = slowFolders.findIndex((part) => path.includes(part))
  return rank === -1 ? slowFolders.length : rank
}
