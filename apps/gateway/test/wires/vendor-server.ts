import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type VendorRequest = {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

export type VendorServer = {
  readonly url: string
  readonly received: VendorRequest[]
  close(): void
}

/** The events of an answer, each as the lines before its empty line, and how many are sent. */
export type VendorAnswer = {
  readonly events: readonly string[]
  /** Breaks the connection after so many events. */
  readonly cutAfter?: number
  /** In place of the events: an error of this status, or a connection that breaks without a response. */
  readonly failure?: 500 | 'reset'
}

/** A server of all vendors' wires, told apart by their paths. */
export async function openVendorServer(
  answer: (request: VendorRequest) => VendorAnswer,
): Promise<VendorServer> {
  const received: VendorRequest[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const arrived = { path: request.url ?? '', body: JSON.parse(body) as VendorRequest['body'] }
      received.push(arrived)
      send(response, answer(arrived))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function send(
  response: ServerResponse,
  { events, cutAfter = events.length, failure }: VendorAnswer,
): void {
  if (failure === 'reset') {
    response.destroy()
    return
  }
  if (failure !== undefined) {
    response.writeHead(failure, { 'content-type': 'application/json' }).end('{"error":{}}')
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const sent = events.slice(0, cutAfter).map((event) => `${event}\n\n`)
  if (cutAfter >= events.length) {
    response.end(sent.join(''))
    return
  }
  response.flushHeaders()
  // The connection ends once what was sent has left, so that all of it arrives.
  response.write(sent.join(''), () => response.destroy())
}

const tokens = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 }

/** The data of one event. */
function dataEvent(value: unknown): string {
  return `data: ${JSON.stringify(value)}`
}

/** A stream of OpenAI's wire: its deltas, the finish reason, and the usage. */
export function openAiEvents(
  deltas: readonly object[],
  finish: string,
  usage: object = tokens,
): readonly string[] {
  const chunk = (choices: readonly object[], rest: object = {}): string =>
    dataEvent({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices,
      ...rest,
    })
  return [
    ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason: finish }]),
    chunk([], { usage }),
    'data: [DONE]',
  ]
}

/** A stream of Anthropic's wire: its blocks, each with the deltas that fill it. */
export function anthropicEvents(
  blocks: readonly { readonly start: object; readonly deltas: readonly object[] }[],
  stop: string,
  usage: Readonly<Record<string, number>> = { input_tokens: 20, output_tokens: 10 },
): readonly string[] {
  const { output_tokens, ...input } = usage
  const event = (type: string, data: object): string =>
    `event: ${type}\n${dataEvent({ type, ...data })}`
  const message = { id: 'm', type: 'message', role: 'assistant', content: [], model: 'm' }
  return [
    event('message_start', {
      message: { ...message, usage: { ...input, output_tokens: 1 } },
    }),
    ...blocks.flatMap(({ start, deltas }, index) => [
      event('content_block_start', { index, content_block: start }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', { delta: { stop_reason: stop }, usage: { output_tokens } }),
    event('message_stop', {}),
  ]
}

/** A stream of Gemini's wire: the parts of its only candidate. */
export function geminiEvents(
  parts: readonly object[],
  usageMetadata: object = { promptTokenCount: 20, candidatesTokenCount: 10, totalTokenCount: 30 },
): readonly string[] {
  const content = { role: 'model', parts }
  return [dataEvent({ candidates: [{ content, finishReason: 'STOP', index: 0 }], usageMetadata })]
}
