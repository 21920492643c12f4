import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type RecordedRequest = {
  readonly url: string
  readonly body: string
  readonly authorization: string
}

/** A server that records its requests and responds with the listener of the test. */
export async function startRecordingServer(listener: RequestListener) {
  const requests: RecordedRequest[] = []
  const server = createServer((request: IncomingMessage, response) => {
    void text(request).then((body) => {
      const authorization = request.headers.authorization ?? ''
      requests.push({ url: request.url ?? '', body, authorization })
      listener(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, requests, close: () => void server.close() }
}
