#!/usr/bin/env node
import { fareboxCommand } from './command/farebox-command.ts'

const interrupted = new AbortController()
// Ignore EPIPE: the reader, such as `head`, has closed.
process.stdout.on('error', () => process.exit(0))
process.once('SIGINT', () => interrupted.abort())

try {
  await fareboxCommand({
    environment: process.env,
    write: (text) => process.stdout.write(text),
    note: (text) => process.stderr.write(`${text}\n`),
    signal: interrupted.signal,
  }).parseAsync()
} catch (error) {
  process.stderr.write(`farebox: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
