// A provider that streams a word every 200 milliseconds, for so many seconds.
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { announce } from './announce.ts'

const seconds = Number(process.argv[2] ?? 30)
const common = { id: 'chatcmpl-bench', created: 1_700_000_000, model: 'bench' }

function chunk(delta: object, finish: string | null, rest: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices, ...rest })}\n\n`
}

const server = createServer((request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  void (async () => {
    for (let word = 0; word < seconds * 5; word += 1) {
      response.write(chunk({ content: 'word ' }, null))
      await pause(200)
    }
    const usage = { prompt_tokens: 20, completion_tokens: 100, total_tokens: 120 }
    response.end(`${chunk({}, 'stop', { usage })}data: [DONE]\n\n`)
  })()
})
server.listen(0, '127.0.0.1', () => {
  announce(server)
})
