import { readFileSync } from 'node:fs'

/** What a file holds, or undefined if it cannot be read. */
export function fileContent(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
