import { isInTerminal } from './is-in-terminal.ts'

/**
 * Resolves with the first SIGTERM or Ctrl-C, or when the terminal of the process ends (SIGHUP). Further
 * SIGTERMs change nothing: a supervisor signals all processes of a service, and a wrapper passes the
 * signal on. A second Ctrl-C ends the process.
 */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      resolve()
    }
    process.on('SIGTERM', stop)
    process.once('SIGINT', stop)
    if (isInTerminal()) process.on('SIGHUP', stop)
  })
}
