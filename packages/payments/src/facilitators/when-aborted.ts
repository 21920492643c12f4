/** A promise for a signal's abort. `release` removes its listener once the promise is not needed. */
export function whenAborted(signal: AbortSignal): {
  readonly happened: Promise<undefined>
  release(): void
} {
  let onAbort = (): void => undefined
  const happened = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined)
  })
  signal.addEventListener('abort', onAbort, { once: true })
  return { happened, release: () => signal.removeEventListener('abort', onAbort) }
}
