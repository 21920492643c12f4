/** Waits for the work; throws the signal's reason once it is aborted, while the work continues. */
export async function orAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return await work
  let stop = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
  })
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  return await Promise.race([work, aborted]).finally(() =>
    signal.removeEventListener('abort', stop),
  )
}
