import { serveBodies } from './serve-bodies.ts'

/**
 * Serves bodies, and sends the CPU time of its main thread when asked; with a text, that of reading
 * the text as JSON on the main thread.
 */
const { url } = await serveBodies()
process.send?.({ url })
process.on('message', ({ text }: { readonly text?: string }) => {
  const before = text === undefined ? 0 : mainThreadMilliseconds()
  if (text !== undefined) readAtOnce(Buffer.from(text))
  process.send?.({ milliseconds: mainThreadMilliseconds() - before })
})

function mainThreadMilliseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

function readAtOnce(body: Buffer): void {
  try {
    JSON.parse(body.toString('utf8'))
  } catch {
    // The bodies are invalid at their end.
  }
}
