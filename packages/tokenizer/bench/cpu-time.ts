/** Processor time of this process in milliseconds, without other work on the machine. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
