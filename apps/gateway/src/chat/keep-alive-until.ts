/** Clients and proxies give up a silent response after a minute or so. */
const silence = 10_000

/** Calls `keepAlive` after each ten seconds in which the provider has said nothing. */
export async function keepAliveUntil<Value>(
  opening: Promise<Value>,
  keepAlive: () => void,
): Promise<Value> {
  const timer = setInterval(keepAlive, silence)
  try {
    return await opening
  } finally {
    clearInterval(timer)
  }
}
