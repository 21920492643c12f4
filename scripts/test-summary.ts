/** The number of tests by outcome. */
export type TestCounts = {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** The fields of vitest's JSON report that we use. */
export type VitestReport = {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: readonly {
    readonly status: string
    readonly assertionResults: readonly { readonly status: string }[]
  }[]
}

/** Nothing ran: the report is missing or unreadable. */
export const noTests: TestCounts = { passed: 0, failed: 0, skipped: 0 }

/** Counts tests; a file that failed without a failed test (it did not load) is one failure. */
export function countTests(report: VitestReport): TestCounts {
  const brokenFiles = report.testResults.filter(
    (file) =>
      file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  )
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}

/** Adds one failure for each failed step. */
export function withFailedSteps(counts: TestCounts, failedSteps: number): TestCounts {
  return { ...counts, failed: counts.failed + failedSteps }
}
