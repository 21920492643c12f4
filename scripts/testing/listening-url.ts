import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

/** The URL in the log of a server process; rejects if the process exits first. */
export function listeningUrl({ stdout }: Pick<ChildProcess, 'stdout'>): Promise<string> {
  if (stdout === null) throw new TypeError('no output')
  // Keep reading: a full pipe would block the server at its next log line.
  const lines = createInterface({ input: stdout })
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      const url = /"event":"listening","url":"([^"]+)"/.exec(line)?.[1]
      if (url !== undefined) resolve(url)
    })
    lines.once('close', () => {
      reject(new Error('the server exited before it listened'))
    })
  })
}
