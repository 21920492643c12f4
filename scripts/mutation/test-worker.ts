// Runs tests for scripts/mutation/start-worker.ts: one vitest, which transforms each source once. Each run
// has its own process, so that mutants share no modules.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import {
  BaseSequencer,
  createVitest,
  type TestModule,
  type TestSpecification,
  type Vitest,
} from 'vitest/node'
import { type Mutant, mutated } from './mutant.ts'
import type { TestRequest, TestResult } from './start-worker.ts'

const root = resolve(import.meta.dirname, '../..')
/** A test that waits for what never comes fails after this time. */
const waitMs = 20_000

let change: Mutant | null = null
let isLoaded = false
let order: readonly string[] = []

function rankOf({ moduleId }: TestSpecification): number {
  const rank = order.findIndex((part) => moduleId.includes(part))
  return rank === -1 ? order.length : rank
}

/** The test files that are listed first notice the most. */
class AsListed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.moduleId < b.moduleId ? -1 : 1))
  }
}

async function start(files: ReadonlySet<string>): Promise<Vitest> {
  const options = {
    root,
    config: resolve(root, 'vitest.config.ts'),
    watch: false,
    bail: 1,
    maxWorkers: 1,
    testTimeout: waitMs,
    hookTimeout: waitMs,
    silent: true,
    reporters: [{}],
    sequence: { sequencer: AsListed },
  }
  return await createVitest(options, {
    plugins: [
      {
        name: 'mutant',
        enforce: 'pre',
        load: (id) => {
          if (change === null || id !== resolve(root, change.file)) return undefined
          isLoaded = true
          return mutated(readFileSync(id, 'utf8'), change)
        },
        // Modules are cached on disk by their content there.
        configureVitest: ({ defineCacheKeyGenerator }) => {
          defineCacheKeyGenerator(({ id }) => (files.has(id) ? false : undefined))
        },
      },
    ],
  })
}

async function run(vitest: Vitest, { mutant, tests }: TestRequest): Promise<TestResult> {
  for (const { file } of [change, mutant].filter((one) => one !== null)) {
    vitest.invalidateFile(resolve(root, file))
  }
  change = mutant
  isLoaded = false
  order = tests
  const begun = performance.now()
  const specifications = await vitest.getRelevantTestSpecifications([...tests])
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  const paths = new Set(specifications.map(({ moduleId }) => moduleId))
  const ran = testModules.filter(({ moduleId }) => paths.has(moduleId))
  const failure = ran.map(failureOf).find((one) => one !== undefined)
  const fault = unhandledErrors.length === 0 ? undefined : `Error: ${messageOf(unhandledErrors[0])}`
  return {
    failure: specifications.length === 0 ? 'no such test file' : (failure ?? fault ?? null),
    isLoaded,
    ms: performance.now() - begun,
  }
}

function failureOf(module: TestModule): string | undefined {
  const [failed] = module.children.allTests('failed')
  if (failed !== undefined) {
    return `${module.relativeModuleId}: ${failed.fullName}: ${messageOf(failed.result().errors?.[0])}`
  }
  const [failedSuite] = [module, ...module.children.allSuites()].flatMap((one) => one.errors())
  return failedSuite === undefined
    ? undefined
    : `${module.relativeModuleId}: ${messageOf(failedSuite)}`
}

function messageOf(error: unknown): string {
  const isError = typeof error === 'object' && error !== null && 'message' in error
  return (
    String(isError ? error.message : error)
      .split('\n', 1)[0]
      ?.slice(0, 160) ?? ''
  )
}

const files = new Set(process.argv.slice(2).map((file) => resolve(root, file)))
const vitest = await start(files)
process.on('message', (request: TestRequest) => {
  void run(vitest, request).then((result) => process.send?.(result))
})
// Results are no longer read; the processes of the tests end too.
process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'))
