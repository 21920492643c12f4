import { refuseConfig } from './commands/refuse-config.ts'
import { helpText, isCommand, readConfig, usageText } from './config.ts'
import type { Config } from './settings.ts'
import { version } from './version.ts'

type Command = (config: Config) => Promise<number>

/** Runs a command of `main.js` and returns its exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  process.stdout.on('error', outputFailed)
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(helpText())
    return 0
  }
  if (args.includes('--version')) {
    process.stdout.write(`${version}\n`)
    return 0
  }
  const command = await findCommand(args)
  if (command === undefined) {
    process.stderr.write(
      `${isCommand(args[0]) ? 'Wrong arguments' : 'Unknown command'}: ${args.join(' ')}\n\n${usageText()}`,
    )
    return 2
  }
  const parsed = readConfig()
  for (const text of parsed.warnings) process.stderr.write(`Warning: ${text}\n`)
  if (parsed.status === 'valid') return command(parsed.config).catch(failed)
  return refuseConfig(parsed.problems)
}

/** Prints the error message without the stack. */
async function failed(error: unknown): Promise<number> {
  const { commandProblem } = await import('./commands/command-problem.ts')
  const problem = commandProblem(error)
  if (problem !== undefined) {
    process.stderr.write(`${problem.message}\n`)
    return problem.exitCode
  }
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`Error: ${message}\n`)
  return 1
}

/** EPIPE is not a failure: the reader, such as `head`, has closed. */
function outputFailed({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') return
  process.stderr.write(`Standard output cannot be written: ${message}\n`)
  process.exit(1)
}

/** Loads only the requested command, and with it only the native modules that it needs. */
async function findCommand(args: readonly string[]): Promise<Command | undefined> {
  const [first, ...rest] = args
  if (first === 'refund') return (await import('./commands/refund.ts')).refundCommand(rest)
  if (first === 'ledger' && rest[0] !== 'export') {
    return (await import('./commands/ledger-backup.ts')).ledgerBackupCommand(rest)
  }
  switch (args.join(' ')) {
    case '':
    case 'serve':
      return (await import('./commands/serve.ts')).serve
    case 'ledger export':
      return (await import('./commands/ledger-export.ts')).ledgerExport
    case 'ledger export channels':
      return (await import('./commands/ledger-export.ts')).channelExport
    case 'ledger export gas':
      return (await import('./commands/ledger-export.ts')).gasExport
    case 'audit':
      return (await import('./commands/audit.ts')).auditCommand
    case 'console':
      return (await import('./commands/console.ts')).consoleCommand
    case 'doctor':
      return (await import('./commands/doctor.ts')).doctor
    default:
      return undefined
  }
}
