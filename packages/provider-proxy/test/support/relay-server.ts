import { createServer, type ServerResponse } from 'node:http'
import {
  type ChatCall,
  type ChatProvider,
  chatUsageJson,
  doneText,
  type RelayOptions,
  type RelayOutcome,
  receiptText,
  relayEventStream,
  type StreamSink,
  streamErrorText,
} from '../../src/index.ts'

/** A gateway reduced to its relay: every request streams the same call. */
export type RelayServer = {
  readonly url: string
  readonly outcomes: readonly RelayOutcome[]
  nextOutcome(): Promise<RelayOutcome>
  stop(): Promise<void>
}

export async function startRelayServer(
  provider: ChatProvider,
  callFor: (signal: AbortSignal) => ChatCall,
  options: RelayOptions = {},
): Promise<RelayServer> {
  const outcomes: RelayOutcome[] = []
  const waiting: ((outcome: RelayOutcome) => void)[] = []
  const server = createServer((request, response) => {
    request.resume()
    void serve(response)
  })
  async function serve(response: ServerResponse): Promise<void> {
    const { sink, signal } = sinkOf(response)
    const stream = await provider.open(callFor(signal))
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    const outcome = await relayEventStream(stream, sink, options)
    outcomes.push(outcome)
    waiting.shift()?.(outcome)
    response.end(ending(outcome))
    if (outcome.status === 'client_gone') response.destroy()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    outcomes,
    nextOutcome: () => new Promise((resolve) => waiting.push(resolve)),
    async stop() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

function ending(outcome: RelayOutcome): string {
  switch (outcome.status) {
    case 'complete': {
      const { usage, timings } = outcome
      const wire = usage && chatUsageJson(usage, timings)
      return outcome.finalChunk(wire) + receiptText({ id: 'pay_1' }) + doneText
    }
    case 'truncated': {
      const { message, code } = outcome.error
      return streamErrorText({ message, type: 'api_error', code })
    }
    case 'client_gone':
      return ''
  }
}

/** The relay's port over a response of Node's. */
function sinkOf(response: ServerResponse): { sink: StreamSink; signal: AbortSignal } {
  const closing = new AbortController()
  response.once('close', () => closing.abort())
  const sink: StreamSink = {
    write: (text) => response.write(text),
    drained: () => new Promise((resolve) => response.once('drain', resolve)),
    closed: closing.signal,
  }
  return { sink, signal: closing.signal }
}
