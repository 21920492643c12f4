import type { AnvilCommand } from './anvil-command.ts'

/**
 * The command that starts anvil so that it cannot outlive its parent, kill -9 included.
 *
 * The parent holds the write end of standard input. When it ends, the kernel closes that end, the
 * reader sees end-of-file and stops anvil, which still writes its state. A parent that has seen
 * anvil exit writes a line first, so that the reader never signals a reused process id.
 */
export function watchdogCommand(
  command: AnvilCommand,
  platform: string = process.platform,
): { readonly file: string; readonly args: readonly string[] } {
  return platform === 'win32' ? nodeWatchdog(command) : shellWatchdog(command)
}

// `exec` makes anvil take the shell's process id, so that it is the parent's own child.
const shellScript =
  'exec 3<&0; { read -r line <&3 || kill -TERM $$; } >/dev/null 2>&1 & exec "$0" "$@" 3<&- </dev/null'

function shellWatchdog({ binary, args }: AnvilCommand): {
  readonly file: string
  readonly args: readonly string[]
} {
  return { file: '/bin/sh', args: ['-c', shellScript, binary, ...args] }
}

const nodeScript = `
const [binary, ...args] = process.argv.slice(1)
const anvil = require('node:child_process').spawn(binary, args, { stdio: ['ignore', 'inherit', 'inherit'] })
anvil.on('exit', (code) => process.exit(code ?? 1))
process.on('SIGTERM', () => anvil.kill('SIGTERM'))
process.stdin.on('end', () => anvil.kill('SIGTERM')).on('error', () => anvil.kill('SIGTERM')).resume()
`

function nodeWatchdog({ binary, args }: AnvilCommand): {
  readonly file: string
  readonly args: readonly string[]
} {
  return { file: process.execPath, args: ['-e', nodeScript, binary, ...args] }
}
