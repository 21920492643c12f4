import type { SettingTable } from './setting.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** An environment with what its files contain, and what is wrong with them, one sentence each. */
export type SettingFiles = {
  readonly environment: Environment
  readonly problems: readonly string[]
}

/**
 * Reads each `NAME_FILE` of an environment and sets `NAME` to its text, without white space at the
 * end and without a byte order mark: Docker and Kubernetes mount secrets as files. Only the names of
 * the table count.
 */
export function readSettingFiles(
  table: SettingTable,
  environment: Environment,
  readText: (path: string) => string,
): SettingFiles {
  const values: Record<string, string> = {}
  const problems: string[] = []
  for (const name of Object.keys(table)) {
    const path = environment[fileNameOf(name)]
    if (path === undefined || path === '') continue
    if (environment[name] !== undefined && environment[name] !== '') {
      problems.push(`${fileNameOf(name)} and ${name} must not be set together.`)
      continue
    }
    try {
      const text = readText(path)
        .replace(/^\uFEFF/, '')
        .trimEnd()
      // A named file asks for its value, not for the default, such as a new ledger for DATABASE_URL.
      if (text === '') problems.push(`${fileNameOf(name)} is an empty file: ${path}.`)
      else values[name] = text
    } catch (error) {
      problems.push(`${fileNameOf(name)} cannot be read: ${reasonOf(error)}.`)
    }
  }
  return { environment: { ...environment, ...values }, problems }
}

/** The variable that has the path of a setting's file. */
export function fileNameOf(name: string): string {
  return `${name}_FILE`
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
