/** How many tests ended in which way. */
export type TestCounts = {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** What we read of vitest's JSON report. */
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
export const NO_TESTS: TestCounts = { passed: 0, failed: 0, skipped: 0 }

/** Counts tests; a file that failed without a failed test of its own (it did not load) is one failure. */
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

/** Each failed step is a failure; a run that ended badly for a reason no test shows is one too. */
export function withFailedSteps(counts: TestCounts, failedSteps: number): TestCounts {
  return { ...counts, failed: counts.failed + failedSteps }
}
