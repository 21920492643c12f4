#!/usr/bin/env node
import { createInterface } from 'node:readline'
import { addAbortSignal } from 'node:stream'
import { text } from 'node:stream/consumers'
import { CommanderError } from 'commander'
import { fareboxCommand } from './farebox-command.ts'
import { withAdvice } from './show/with-advice.ts'
import { errorCode } from './terminal/error-code.ts'
import { exitCode } from './terminal/exit-code.ts'
import { printable } from './terminal/printable.ts'

const { stdin, stdout, stderr, env } = process
const given = process.argv.slice(2)
const interrupted = new AbortController()
// Only the first error counts, and the others do not end the process either.
stdout.on('error', () => undefined)
stdout.once('error', (error: Error) => {
  const code = errorCode(error)
  // The reader, such as `head`, may have read all that it needs.
  const isClosed = code === 'EPIPE'
  if (!isClosed) stderr.write(`farebox: standard output cannot be written (${code}).\n`)
  process.once('exit', () => {
    process.exitCode = isClosed ? 0 : 1
  })
  // A call that is paid for names its payment as it ends.
  interrupted.abort()
})
// A full or closed standard error does not end a call that is paid for.
stderr.on('error', () => undefined)
process.once('SIGINT', () => interrupted.abort())
process.once('SIGTERM', () => interrupted.abort())

try {
  await fareboxCommand({
    environment: env,
    write: (written) => stdout.write(written),
    note: (noted) => stderr.write(`${noted}\n`),
    progress: (written) => stderr.write(written),
    colors: stderr.isTTY && !env['NO_COLOR'],
    lines: stdin.isTTY
      ? () => createInterface({ input: stdin, signal: interrupted.signal })
      : undefined,
    piped: async () => await text(addAbortSignal(interrupted.signal, stdin)),
    signal: interrupted.signal,
  }).parseAsync(given.length === 0 ? ['--help'] : given, { from: 'user' })
} catch (error) {
  // Commander has written its own message.
  const written = error instanceof CommanderError || interrupted.signal.aborted
  if (!written) stderr.write(`farebox: ${printable(messageOf(error))}\n`)
  process.exitCode = interrupted.signal.aborted ? 130 : exitCode(error)
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return withAdvice({ code: errorCode(error) ?? '', message: error.message })
}
