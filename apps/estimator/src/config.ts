import { readFileSync } from 'node:fs'
import {
  describeSettings,
  type ReadSettings,
  readSettingFiles,
  readSettings,
  settingWarnings,
} from '@farebox/settings'
import { catalogProblems, tokenizerProblems } from '@farebox/storefront/settings'
import { settings } from './settings.ts'

/** Parses the environment: the only place in the estimator that reads it. */
export function readConfig(
  environment: Readonly<NodeJS.ProcessEnv> = process.env,
): ReadSettings<typeof settings> {
  const files = readSettingFiles(settings, environment, (path) => readFileSync(path, 'utf8'))
  return readSettings(settings, files.environment, (config) => [
    ...files.problems,
    ...catalogProblems(config, Date.now()),
    ...tokenizerProblems(config),
  ])
}

/** Variables that have no effect or not the intended one, one sentence each. */
export function warnings(
  environment: Readonly<NodeJS.ProcessEnv> = process.env,
): readonly string[] {
  return settingWarnings(settings, environment)
}

const usage = 'Usage: node apps/estimator/dist/main.js'

/** What follows the error message about an unknown command. */
export function usageText(): string {
  return `${usage}\n\n--help lists the environment variables.\n`
}

/** What `--help` prints. */
export function helpText(): string {
  return `${usage}

Environment variables. For a value in a file, such as a mounted secret, set NAME_FILE to its path:
${describeSettings(settings)}
`
}
