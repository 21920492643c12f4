import type { Gateway } from '../start-gateway.ts'

/** SIGHUP reads the operator's files again. In a terminal it still ends the process. */
export function reloadOnHangUp({ reload }: Pick<Gateway, 'reload'>): void {
  if (!process.stdout.isTTY) process.on('SIGHUP', reload)
}
