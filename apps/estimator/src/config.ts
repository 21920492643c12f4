import {
  catalogProblems,
  describeSettings,
  type ReadSettings,
  readSettings,
  tokenizerProblems,
} from '@farebox/free-endpoints/settings'
import { settings } from './settings.ts'

/** Reads and validates the environment: the only place of the estimator that does. */
export function readConfig(
  environment: Readonly<NodeJS.ProcessEnv> = process.env,
): ReadSettings<typeof settings> {
  return readSettings(settings, environment, (config) => [
    ...catalogProblems(config, Date.now()),
    ...tokenizerProblems(config),
  ])
}

/** What `--help` prints. */
export function helpText(): string {
  return `Usage: node apps/estimator/dist/main.js

Environment variables:
${describeSettings(settings)}
`
}
