import type { Gateway } from '../start-gateway.ts'

/** Reloads the operator's files on SIGHUP, except in a terminal, where it ends the process. */
export function reloadOnHangUp({ reload }: Pick<Gateway, 'reload'>): void {
  if (!process.stdout.isTTY) process.on('SIGHUP', reload)
}
