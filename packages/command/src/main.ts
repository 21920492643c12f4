#!/usr/bin/env node
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { CommanderError } from 'commander'
import { fareboxCommand } from './farebox-command.ts'
import { withAdvice } from './show/with-advice.ts'
import { exitCode } from './terminal/exit-code.ts'

const { stdin, stdout, stderr, env } = process
const given = process.argv.slice(2)
const interrupted = new AbortController()
// Ignore EPIPE: the reader, such as `head`, has closed.
stdout.on('error', () => process.exit(0))
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
    piped: async () => await text(stdin),
    signal: interrupted.signal,
  }).parseAsync(given.length === 0 ? ['--help'] : given, { from: 'user' })
} catch (error) {
  // Commander has written its own message.
  const written = error instanceof CommanderError || interrupted.signal.aborted
  if (!written) stderr.write(`farebox: ${messageOf(error)}\n`)
  process.exitCode = interrupted.signal.aborted ? 130 : exitCode(error)
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message } = error
  return withAdvice({ code: 'code' in error ? String(error.code) : '', message })
}
