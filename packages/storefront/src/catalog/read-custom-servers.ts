import { type ChatRecord, type CustomServer, parseCustomServers } from '@farebox/catalogs'
import { type FileContent, readOperatorFile } from '../operator-files/read-operator-file.ts'

/** The servers of a `CUSTOM_PROVIDERS` file, and their models. */
export type CustomServers = {
  readonly servers: readonly CustomServer[]
  readonly models: readonly ChatRecord[]
}

/** Reads the operator's file of servers; without a path, the value is undefined. */
export function readCustomServers(path: string | undefined): FileContent<CustomServers> {
  return readOperatorFile(path, (json) => {
    const parsed = parseCustomServers(json)
    return parsed.ok ? { value: parsed } : { issues: parsed.issues }
  })
}
