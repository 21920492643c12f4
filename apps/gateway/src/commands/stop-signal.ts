/** Resolves with the first SIGTERM or Ctrl-C. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => {
      resolve()
    })
    process.once('SIGINT', () => {
      resolve()
    })
  })
}
