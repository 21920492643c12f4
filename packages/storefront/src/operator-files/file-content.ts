import { readFileSync } from 'node:fs'

/** The content of a file, or undefined if it cannot be read. */
export function fileContent(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
