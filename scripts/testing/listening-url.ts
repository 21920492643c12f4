import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

/** Where a server process listens, by its log; fails when it ends before. */
export function listeningUrl({ stdout }: Pick<ChildProcess, 'stdout'>): Promise<string> {
  if (stdout === null) throw new TypeError('no output')
  // Read to the end: a full pipe would stop the server at its next log line.
  const lines = createInterface({ input: stdout })
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      const url = /"event":"listening","url":"([^"]+)"/.exec(line)?.[1]
      if (url !== undefined) resolve(url)
    })
    lines.once('close', () => {
      reject(new Error('the server ended before it listened'))
    })
  })
}
