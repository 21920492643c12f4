import { writeSync } from 'node:fs'

export type LineWriter = {
  readonly write: (line: string) => void
  /** Writes what is buffered. */
  readonly flush: () => void
}

/** The characters after which lines are written even within a turn of the event loop. */
const bufferSize = 8 * 1024
const busyMs = 10

/**
 * Writes lines to a file descriptor, one write for all lines of a turn of the event loop. Lines that
 * cannot be written, because the reader of a pipe is gone or a disk is full, are dropped: the
 * destination of pino would retry them forever and block the process.
 */
export function createLineWriter(fd: number): LineWriter {
  let lines = ''
  let isScheduled = false

  function flush(): void {
    const bytes = Buffer.from(lines)
    lines = ''
    for (let written = 0; written < bytes.length; ) {
      written += writeSome(fd, bytes.subarray(written))
    }
  }

  function flushTurn(): void {
    isScheduled = false
    flush()
  }

  return {
    write: (line) => {
      lines += line
      if (lines.length >= bufferSize) flush()
      if (isScheduled) return
      isScheduled = true
      setImmediate(flushTurn)
    },
    flush,
  }
}

/** How many of the bytes are done: written, or dropped. */
function writeSome(fd: number, bytes: Buffer): number {
  try {
    return writeSync(fd, bytes)
  } catch (error) {
    if (!isBusy(error)) return bytes.length
    Atomics.wait(pause, 0, 0, busyMs)
    return 0
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4))

/** A pipe that is full for the moment. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN'
}
