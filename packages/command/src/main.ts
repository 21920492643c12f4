#!/usr/bin/env node
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { CommanderError } from 'commander'
import { fareboxCommand } from './farebox-command.ts'
import { exitCode } from './terminal/exit-code.ts'

const { stdin, stdout, stderr, env } = process
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
  }).parseAsync()
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  // Commander has written its own message.
  const written = error instanceof CommanderError || interrupted.signal.aborted
  if (!written) stderr.write(`farebox: ${message}\n`)
  process.exitCode = interrupted.signal.aborted ? 130 : exitCode(error)
}
