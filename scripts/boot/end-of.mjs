import { constants } from 'node:os'

const parent = process.ppid
const hasShellOfNpm = process.env['npm_lifecycle_event'] !== undefined

/** The end of a terminal sends SIGHUP, which reloads the files of a server that is started by itself. */
const stopSignals = ['SIGTERM', 'SIGHUP']

/**
 * Starts a child and waits for its end; stops it with SIGTERM when this process gets a signal to stop. npm
 * passes SIGTERM to its shell only, which ends without telling the program in it, so the end of that shell
 * counts as SIGTERM. Resolves with the exit code, and whether the child was stopped: some then exit with 0.
 */
export function endOf(start) {
  let wasStopped = false
  const stop = () => {
    wasStopped = true
    child.kill('SIGTERM')
  }
  // Before the start, so that no signal falls between.
  for (const signal of stopSignals) process.on(signal, stop)
  const child = start()
  const watch = hasShellOfNpm && setInterval(stopWithoutParent, 250)
  function stopWithoutParent() {
    if (process.ppid === parent) return
    clearInterval(watch)
    stop()
  }
  return new Promise((resolve) => {
    const end = (code) => {
      for (const signal of stopSignals) process.off(signal, stop)
      clearInterval(watch)
      resolve({ code, wasStopped })
    }
    child.once('error', () => end(127))
    child.once('close', (code, signal) => end(code ?? 128 + constants.signals[signal]))
  })
}
