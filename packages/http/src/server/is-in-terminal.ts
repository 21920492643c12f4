import { isatty } from 'node:tty'

/** Whether this process runs in a terminal, which sends SIGHUP when it ends. */
export function isInTerminal(): boolean {
  return isatty(0) || isatty(1)
}
