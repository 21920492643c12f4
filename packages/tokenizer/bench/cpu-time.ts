/** Milliseconds of processor time that this process has taken: other work on the machine is left out. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
