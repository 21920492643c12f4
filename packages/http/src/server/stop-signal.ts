/**
 * Resolves with the first SIGTERM or Ctrl-C. More of SIGTERM change nothing: a supervisor signals all
 * processes of a service, and a wrapper passes it on. A second Ctrl-C ends the process.
 */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGTERM', () => {
      resolve()
    })
    process.once('SIGINT', () => {
      resolve()
    })
  })
}
