import { isInTerminal } from './is-in-terminal.ts'

/** Calls `reload` on each SIGHUP, except in a terminal: there it is a `stopSignal`. */
export function onReloadSignal(reload: () => void): void {
  if (!isInTerminal()) process.on('SIGHUP', reload)
}
