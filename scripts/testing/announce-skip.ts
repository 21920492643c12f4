const announced = new Set<string>()

/** Prints to standard error, once per process, which service is missing and how to install it. */
export function announceSkip(service: string, remedy: string): void {
  if (announced.has(service)) return
  announced.add(service)
  process.stderr.write(`skipped: tests that need ${service}: ${remedy}\n`)
}
