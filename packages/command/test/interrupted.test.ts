import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { appProgram } from '../../../scripts/testing/app-program.ts'
import { gatewayStage } from '../../../scripts/testing/gateway-stage.ts'
import { recallPayments } from '../src/wallet/payment-history.ts'

const stage = gatewayStage()
const slowly = '[[sandbox: tokens=500 tokens_per_second=5]] Talk.'

type Stream = 'ignore' | 'pipe' | number

function start(
  args: readonly string[],
  [state, ...streams]: [state: string, stdin?: Stream, stdout?: Stream, stderr?: Stream],
) {
  const environment = {
    PATH: process.env['PATH'] ?? '',
    FAREBOX_URL: stage.url,
    DATA_DIR: stage.folder,
    XDG_STATE_HOME: join(stage.folder, state),
  }
  const [stdin = 'ignore', stdout = 'pipe', stderr = 'pipe'] = streams
  const child = spawn(process.execPath, [...appProgram('farebox'), ...args], {
    env: environment,
    stdio: [stdin, stdout, stderr],
  })
  return { child, environment, notes: child.stderr === null ? '' : text(child.stderr) }
}

function chat(state: string) {
  const { child, ...run } = start(['chat', '-m', 'openai/gpt-4.1-mini', slowly], [state])
  if (child.stdout === null) throw new Error('no standard output')
  return { child, stdout: child.stdout, ...run }
}

/** A device that is always full. */
async function full(): Promise<FileHandle> {
  return await open('/dev/full', 'w')
}

test('Ctrl-C ends the wait for a question that is piped in without end', async () => {
  const { child } = start(['chat'], ['endless', 'pipe'])
  // More than a pipe holds: it is written once the program reads.
  await new Promise((resolve) => child.stdin?.write('a'.repeat(1_000_000), resolve))
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([130, null])
})

test('Ctrl-C ends the tools of an agent that leaves their input open, and ends with 0', async () => {
  const { child } = start(['mcp'], ['agent', 'pipe'])
  child.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
  if (child.stdout !== null) await once(child.stdout, 'data')
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('the calls of an agent are answered although it has closed their input', async () => {
  const { child } = start(['mcp', '--no-channel'], ['one-shot', 'pipe'])
  const written = child.stdout === null ? '' : text(child.stdout)
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  const call = { name: 'chat', arguments: { prompt: 'Hello' } }
  const requests = [
    { id: 1, method: 'initialize', params },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: call },
  ]
  const lines = requests.map((each) => `${JSON.stringify({ jsonrpc: '2.0', ...each })}\n`)
  child.stdin?.end(lines.join(''))
  expect(await once(child, 'exit')).toEqual([0, null])
  const answers = (await written).trim().split('\n')
  expect(answers.map((line) => JSON.parse(line).id)).toEqual([1, 2])
  expect(answers[1]).toMatch(/cost 0\.\d+ USDC, payment pay_/)
})

test('results that cannot be written are a failure', async () => {
  const device = await full()
  const { child, notes } = start(['models'], ['unwritten', 'ignore', device.fd])
  expect(await once(child, 'exit')).toEqual([1, null])
  expect(await notes).toContain('farebox: standard output cannot be written (ENOSPC).')
  await device.close()
})

test('an answer that cannot be written is a failure that names its payment', async () => {
  const device = await full()
  const { child, environment, notes } = start(
    ['chat', '-m', 'openai/gpt-4.1-mini', slowly],
    ['unsaved', 'ignore', device.fd],
  )
  expect(await once(child, 'exit')).toEqual([1, null])
  const [payment] = await recallPayments(1, environment)
  expect(await notes).toContain('farebox: standard output cannot be written (ENOSPC).')
  expect(await notes).toContain(`The call did not finish. \`farebox payments ${payment?.id}\``)
  await device.close()
})

test('an answer whose reader has closed ends, and names its payment', async () => {
  const { child, stdout, environment, notes } = chat('unread')
  await once(stdout, 'data')
  stdout.destroy()
  expect(await once(child, 'exit')).toEqual([0, null])
  const [payment] = await recallPayments(1, environment)
  expect(await notes).toContain(`The call did not finish. \`farebox payments ${payment?.id}\``)
})

test('notes that cannot be written do not end a call', async () => {
  const device = await full()
  const { child } = start(['chat', 'Hello', '--json'], ['unnoted', 'ignore', 'pipe', device.fd])
  const written = child.stdout === null ? '' : text(child.stdout)
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(JSON.parse(await written)).toMatchObject({ payment: { status: 'completed' } })
  await device.close()
})

test('Ctrl-C within an answer names its payment, which is in the history', async () => {
  const { child, stdout, environment, notes } = chat('interrupted')
  await once(stdout, 'data')
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([130, null])
  const [payment] = await recallPayments(1, environment)
  expect(payment?.id).toMatch(/^pay_/)
  expect(await notes).toContain(
    `The call did not finish. \`farebox payments ${payment?.id}\` shows its cost and refund.`,
  )
})

test('the payment of an answer is in the history although its terminal was closed', async () => {
  const { child, stdout, environment } = chat('closed')
  await once(stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await recallPayments(1, environment)).toHaveLength(1)
})
