import { helpText, readConfig } from './config.ts'
import type { Config } from './settings.ts'

type Command = (config: Config) => Promise<number>

/** Runs a command of `main.js` and gives its exit code. */
export async function runCommand(words: readonly string[]): Promise<number> {
  process.stdout.on('error', ignoreBrokenPipe)
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(helpText())
    return 0
  }
  const command = await findCommand(words)
  if (command === undefined) {
    process.stderr.write(`Unknown command: ${words.join(' ')}\n\n${helpText()}`)
    return 2
  }
  const parsed = readConfig()
  if (parsed.status === 'valid') return command(parsed.config).catch(failed)
  process.stderr.write(
    `The configuration cannot be used:\n${parsed.problems.map((text) => `  ${text}\n`).join('')}`,
  )
  return 2
}

/** What went wrong, in a sentence: who runs a command wants no stack. */
function failed(error: unknown): number {
  const says = error instanceof Error ? error.message : String(error)
  process.stderr.write(`It failed: ${says}\n`)
  return 1
}

/** Whoever read the output has enough; that is no fault of the command. */
function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

/** Commands are loaded when they are asked for: native modules only where they are needed. */
async function findCommand(words: readonly string[]): Promise<Command | undefined> {
  const [first, ...rest] = words
  if (first === 'refund') return (await import('./commands/refund.ts')).refundCommand(rest)
  switch (words.join(' ')) {
    case '':
    case 'serve':
      return (await import('./commands/serve.ts')).serve
    case 'ledger export':
      return (await import('./commands/ledger-export.ts')).ledgerExport
    case 'audit':
      return (await import('./commands/audit.ts')).auditCommand
    case 'doctor':
      return (await import('./commands/doctor.ts')).doctor
    default:
      return undefined
  }
}
