/** A signal's end as a promise, with its listener taken away when nobody waits any more. */
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
