import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export type WriterOptions = {
  readonly url: string
  readonly first: number
  readonly width: number
  /** How many claims it makes; unlimited by default. */
  readonly limit?: number
}

/** A process that claims payments until it is killed. */
export type Writer = {
  readonly child: ChildProcess
  /** Its output so far: `claimed <id>` or `taken <id>`. */
  readonly lines: readonly string[]
  /** Resolves once it has printed that many lines. */
  printed(count: number): Promise<void>
  /** Sends SIGKILL and waits for the end of its output. */
  kill(): Promise<void>
}

const writerScript: string = fileURLToPath(new URL('claim-writer.ts', import.meta.url))

export function writerArguments(options: WriterOptions): readonly string[] {
  const { url, first, width, limit = Number.POSITIVE_INFINITY } = options
  return ['--conditions=farebox-source', writerScript, url, ...[first, width, limit].map(String)]
}

export function startWriter(options: WriterOptions): Writer {
  const child = spawn(process.execPath, writerArguments(options), {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout })
  reader.on('line', (line) => lines.push(line))
  const ended = once(reader, 'close')
  return {
    child,
    lines,
    printed: async (count) => {
      while (lines.length < count) {
        if (child.exitCode !== null)
          throw new Error(`the writer exited with code ${child.exitCode}`)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
