/** Clients and proxies give up a silent response after a minute or so. */
const intervalMs = 10_000

/** Calls `keepAlive` every ten seconds until the provider responds. */
export async function keepAliveUntil<Value>(
  opening: Promise<Value>,
  keepAlive: () => void,
): Promise<Value> {
  const timer = setInterval(keepAlive, intervalMs)
  try {
    return await opening
  } finally {
    clearInterval(timer)
  }
}
