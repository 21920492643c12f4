import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { appProgram } from '../../../scripts/testing/app-program.ts'
import { gatewayStage } from '../../../scripts/testing/gateway-stage.ts'
import { recallPayments } from '../src/wallet/payment-history.ts'

const stage = gatewayStage()
const slowly = '[[sandbox: tokens=500 tokens_per_second=5]] Talk.'

function chat(state: string) {
  const environment = {
    PATH: process.env['PATH'] ?? '',
    FAREBOX_URL: stage.url,
    DATA_DIR: stage.folder,
    XDG_STATE_HOME: join(stage.folder, state),
  }
  const args = [...appProgram('farebox'), 'chat', '-m', 'openai/gpt-4.1-mini', slowly]
  const child = spawn(process.execPath, args, {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { child, environment, notes: text(child.stderr) }
}

test('Ctrl-C within an answer names its payment, which is in the history', async () => {
  const { child, environment, notes } = chat('interrupted')
  await once(child.stdout, 'data')
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([130, null])
  const [payment] = await recallPayments(1, environment)
  expect(payment?.id).toMatch(/^pay_/)
  expect(await notes).toContain(
    `The call did not finish. \`farebox payments ${payment?.id}\` shows its cost and refund.`,
  )
})

test('the payment of an answer is in the history although its terminal was closed', async () => {
  const { child, environment } = chat('closed')
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await recallPayments(1, environment)).toHaveLength(1)
})
