import { isatty } from 'node:tty'

/** Whether a person started this process in a terminal, whose end sends SIGHUP. */
export function isInTerminal(): boolean {
  return isatty(0) || isatty(1)
}
