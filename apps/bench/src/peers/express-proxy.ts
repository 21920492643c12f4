// A typical proxy without payments: Express and global fetch.
import express from 'express'
import { announce } from './announce.ts'
import { forward } from './forward.ts'

const [, , upstream = ''] = process.argv
const app = express().use(express.json())
app.post('/v1/chat/completions', forward(upstream))
const server = app.listen(0, '127.0.0.1', () => {
  announce(server)
})
