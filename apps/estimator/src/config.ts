import { describeSettings, type ReadSettings, readSettings } from '@farebox/settings'
import { catalogProblems, tokenizerProblems } from '@farebox/storefront/settings'
import { settings } from './settings.ts'

/** Parses the environment: the only place in the estimator that reads it. */
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
