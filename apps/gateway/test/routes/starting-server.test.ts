import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { openStartingServer, type StartingServer } from '../../src/routes/starting-server.ts'

let server: StartingServer
beforeAll(async () => {
  const read = readConfig({ PORT: '0' })
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  server = await openStartingServer(read.config)
})
afterAll(() => server.close())

const message = 'The service is starting. This request moved no money. Repeat it as it is.'
const openAi = { error: { message, type: 'service_unavailable', code: 'starting', param: null } }
const details = { error_code: 'starting' }
const anthropic = { type: 'error', error: { type: 'overloaded_error', message, details } }

test.each([
  ['/v1/chat/completions', openAi],
  ['/v1/responses', openAi],
  ['/v1/images/generations', openAi],
  ['/v1/images/models', openAi],
  ['/nowhere', openAi],
  ['/v1/messages?beta=true', anthropic],
  ['/v1/messages/count_tokens', anthropic],
  ['/v1/images/generate', { error: 'GENERATION_ERROR', message, details: { code: 'starting' } }],
  ['/V1/images/estimate/', { error: 'ESTIMATE_ERROR', message, details: { code: 'starting' } }],
])('while the gateway starts, %s answers 503 in its own shape', async (path, body) => {
  const answer = await fetch(`${server.url}${path}`, { method: 'POST', body: '{}' })
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2'])
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  expect(await answer.json()).toEqual(body)
})

test('a preflight is answered while the gateway starts, so that a page reads the 503', async () => {
  const answer = await fetch(`${server.url}/v1/chat/completions`, { method: 'OPTIONS' })
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
})

test.skipIf(process.platform === 'win32')(
  'clients hold at most half of the files that the process may open',
  async () => {
    const module = new URL('../../src/routes/starting-server.ts', import.meta.url).href
    const program = `const { openStartingServer } = await import('${module}')
      console.log((await openStartingServer({ HOST: '127.0.0.1', PORT: 0 })).url)`
    const node = [
      process.execPath,
      '--conditions=farebox-source',
      '--input-type=module',
      '-e',
      program,
    ]
    const child = spawn('sh', ['-c', 'ulimit -n 64; exec "$0" "$@"', ...node])
    onTestFinished(() => void child.kill())
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const port = Number(new URL(line.toString().trim()).port)
    let [open, closed] = [0, 0]
    for (let count = 0; count < 20; count += 1) {
      const socket = connect(port, '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      socket.on('connect', () => (open += 1)).on('error', () => undefined)
      socket.on('close', () => (closed += 1)).resume()
    }
    await expect.poll(() => [open, closed]).toEqual([20, 13])
  },
)
