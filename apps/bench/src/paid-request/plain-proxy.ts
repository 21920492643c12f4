// A typical proxy without payments: plain Express and global fetch.
import express from 'express'
import { announce } from './announce.ts'

const [, , upstream = ''] = process.argv
const app = express().use(express.json())
app.post('/v1/chat/completions', async (request, response) => {
  const answer = await fetch(`${upstream}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request.body),
  })
  response.status(answer.status).json(await answer.json())
})
const server = app.listen(0, '127.0.0.1', () => {
  announce(server)
})
