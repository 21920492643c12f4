// A provider that responds immediately, so that only the server in front of it is measured, or after
// so many milliseconds.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { announce } from './announce.ts'

const thinkMs = Number(process.argv[2] ?? 0)
const common = { id: 'chatcmpl-bench', created: 1_700_000_000, model: 'bench' }
const usage = { prompt_tokens: 20, completion_tokens: 100, total_tokens: 120 }
const content = 'word '.repeat(100)

const completion = JSON.stringify({
  ...common,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage,
})

function chunk(delta: object, finish: string | null, rest: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  const object = 'chat.completion.chunk'
  return `data: ${JSON.stringify({ ...common, object, choices, ...rest })}\n\n`
}

const events = [
  chunk({ role: 'assistant', content }, null),
  chunk({}, 'stop', { usage }),
  'data: [DONE]\n\n',
].join('')

const server = createServer((request, response) => {
  void text(request).then(async (body) => {
    if (thinkMs > 0) await pause(thinkMs)
    const streams = body.includes('"stream":true')
    const type = streams ? 'text/event-stream' : 'application/json'
    response.writeHead(200, { 'content-type': type }).end(streams ? events : completion)
  })
})
server.listen(0, '127.0.0.1', () => {
  announce(server)
})
