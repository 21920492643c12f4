import { serveBodies } from './serve-bodies.ts'

/** Serves bodies, and sends the CPU time of its main thread when asked. */
const { url } = await serveBodies()
process.send?.({ url })
process.on('message', () => {
  const { user, system } = process.threadCpuUsage()
  process.send?.({ milliseconds: (user + system) / 1_000 })
})
