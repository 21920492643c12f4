// Faster tests of the same: read-json-body.

import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerWith, openUpstream, type UpstreamServer } from '../contract/upstream-server.ts'
import { chatOf } from '../support/buy.ts'
import {
  type Attacked,
  attacked,
  figure,
  pause,
  processorTime,
  unpaidStatus,
} from './attacked-gateway.ts'

const connections = 1_000
const body = chatOf('hello', { model: 'openai/gpt-4.1' })

let upstream: UpstreamServer
let gateway: Attacked
beforeAll(async () => {
  upstream = await openUpstream({
    hello: (response) => answerWith(response, 'hello', { prompt_tokens: 8, completion_tokens: 5 }),
  })
  gateway = await attacked(1, { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: upstream.url })
})
afterAll(async () => {
  await gateway.stop()
  upstream.close()
})

/** Resident memory of the gateway's process, in megabytes. */
async function memory(): Promise<number> {
  const status = await readFile(`/proc/${gateway.running.child.pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}

/** Sends the beginning, and then a byte every two seconds. */
function drip(beginning: string): Socket {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname).on('error', () => undefined)
  socket.resume()
  socket.write(beginning)
  const beat = setInterval(() => socket.write('x'), 2_000)
  socket.on('close', () => clearInterval(beat))
  return socket
}

const headers =
  'POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'

test.each([
  ['headers', `${headers}X-Long: `],
  ['bodies', `${headers}Content-Length: 65536\r\n\r\n{"messages":"`],
])('a thousand connections with dripping %s', async (what, beginning) => {
  const [memoryBefore, timeBefore, begun] = [
    await memory(),
    await processorTime(gateway),
    performance.now(),
  ]
  const sockets = Array.from({ length: connections }, () => drip(beginning))
  const statuses = new Set<number>()
  let most = 0
  while (performance.now() - begun < 90_000 && sockets.some(({ closed }) => !closed)) {
    statuses.add(await unpaidStatus(gateway, body))
    most = Math.max(most, await memory())
    await pause(0.5)
  }
  const seconds = Math.round((performance.now() - begun) / 1000)
  const open = sockets.filter(({ closed }) => !closed).length
  const time = (await processorTime(gateway)) - timeBefore
  for (const socket of sockets) socket.destroy()
  figure(
    `${connections} connections with dripping ${what}: ${open} open after ${seconds} s, ${most - memoryBefore} MB, ${time} ms of processor time; others get ${[...statuses].join()}`,
  )
  expect([...statuses]).toEqual([402])
  expect(open).toBe(0)
})
