import {
  catalogProblems,
  describeSettings,
  type ReadSettings,
  readSettings,
} from '@farebox/free-endpoints/settings'
import { settings } from './settings.ts'

/** Reads and validates the environment: the only place of the estimator that does. */
export function readConfig(
  environment: Readonly<NodeJS.ProcessEnv> = process.env,
): ReadSettings<typeof settings> {
  const read = readSettings(settings, environment)
  if (read.status === 'invalid') return read
  const problems = catalogProblems(read.values, Date.now())
  return problems.length === 0 ? read : { status: 'invalid', problems }
}

/** What `--help` prints. */
export function helpText(): string {
  return `Usage: node apps/estimator/dist/main.js

Environment variables:
${describeSettings(settings)}
`
}
