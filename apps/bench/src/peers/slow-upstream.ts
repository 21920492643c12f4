// A provider that streams a word every 200 milliseconds, for so many seconds, or answers after them
// at once.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { announce } from './announce.ts'

const seconds = Number(process.argv[2] ?? 30)
const common = { id: 'chatcmpl-bench', created: 1_700_000_000, model: 'bench' }

function chunk(delta: object, finish: string | null, rest: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices, ...rest })}\n\n`
}

const usage = { prompt_tokens: 20, completion_tokens: 100, total_tokens: 120 }
const message = { role: 'assistant', content: 'word '.repeat(seconds * 5) }
const completion = {
  ...common,
  object: 'chat.completion',
  choices: [{ index: 0, message, finish_reason: 'stop' }],
  usage,
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request)
  if (!body.includes('"stream":true')) {
    await pause(seconds * 1_000)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let word = 0; word < seconds * 5 && !response.destroyed; word += 1) {
    response.write(chunk({ content: 'word ' }, null))
    await pause(200)
  }
  response.end(`${chunk({}, 'stop', { usage })}data: [DONE]\n\n`)
}

const server = createServer((request, response) => void answer(request, response))
server.listen(0, '127.0.0.1', () => {
  announce(server)
})
