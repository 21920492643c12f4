// A provider that reads every request and rejects it.
import { createServer } from 'node:http'
import { announce } from './announce.ts'

const error = { type: 'invalid_request_error', message: 'This is not accepted.' }

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ type: 'error', error }))
  })
})
server.listen(0, '127.0.0.1', () => {
  announce(server)
})
