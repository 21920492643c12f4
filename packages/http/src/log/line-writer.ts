import { writeSync } from 'node:fs'

export type LineWriter = {
  readonly write: (line: string) => void
  /** Writes what is buffered. */
  readonly flush: () => void
}

/** The characters after which lines are written even within a turn of the event loop. */
const bufferSize = 8 * 1024
const busyMs = 10
/** After a second without room, the process continues without its lines. */
const maxWaits = 100

/**
 * Writes lines to a file descriptor, one write for all lines of a turn of the event loop. Lines that
 * cannot be written, because the reader of a pipe is gone or has stopped, or a disk is full, are
 * dropped: the destination of pino would retry them forever and block the process. Once a reader
 * continues, a line states how many it missed.
 */
export function createLineWriter(fd: number): LineWriter {
  let lines = ''
  let isScheduled = false
  let missed = 0

  function flush(): void {
    const notice = Buffer.from(missed === 0 ? '' : missedLines(missed))
    const bytes = Buffer.concat([notice, Buffer.from(lines)])
    lines = ''
    const written = writeWithin(fd, bytes, missed === 0 ? maxWaits : 0)
    if (written >= notice.length) missed = 0
    missed += countLines(bytes.subarray(Math.max(written, notice.length)))
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

/** How many bytes are written, or can never be, after this many waits for room. */
function writeWithin(fd: number, bytes: Buffer, waits: number): number {
  let left = waits
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(fd, bytes, written)
    } catch (error) {
      if (!isBusy(error)) return bytes.length
      if (left === 0) return written
      left -= 1
      Atomics.wait(pause, 0, 0, busyMs)
    }
  }
  return bytes.length
}

const pause = new Int32Array(new SharedArrayBuffer(4))

/** The line before it may have been cut. */
function missedLines(lines: number): string {
  return `\n{"level":40,"event":"log_lines_missed","lines":${lines}}\n`
}

function countLines(bytes: Buffer): number {
  return bytes.toString('latin1').split('\n').length - 1
}

/** A pipe that is full for the moment. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN'
}
