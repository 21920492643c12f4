// The least that a proxy in Node can do: node:http, keep-alive, bytes piped as they come.
import { Agent, createServer, request } from 'node:http'
import { announce } from './announce.ts'

const [, , upstream = ''] = process.argv
const agent = new Agent({ keepAlive: true })
const server = createServer((incoming, response) => {
  const { method, headers, url } = incoming
  const outgoing = request(`${upstream}${url ?? ''}`, { method, headers, agent }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  incoming.pipe(outgoing)
})
server.listen(0, '127.0.0.1', () => {
  announce(server)
})
