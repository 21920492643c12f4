import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const cwd = join(import.meta.dirname, '..', '..')

/**
 * Runs the text of a module in a process with a heap of so many megabytes, and returns what it
 * prints. Paths of imports are relative to the repository. Rejects if the process runs out of memory.
 */
export async function withinHeap(megabytes: number, module: string): Promise<string> {
  const heap = `--max-old-space-size=${megabytes}`
  const options = [heap, '--conditions=farebox-source', '--input-type=module', '--eval', module]
  const { stdout } = await promisify(execFile)(process.execPath, options, { cwd })
  return stdout.trim()
}
