const announced = new Set<string>()

/** Says once per process, on standard error, which service is missing and what its tests need. */
export function announceSkip(service: string, remedy: string): void {
  if (announced.has(service)) return
  announced.add(service)
  process.stderr.write(`skipped: tests that need ${service}: ${remedy}\n`)
}
