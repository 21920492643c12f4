import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, startDevnet, writeDevnetFile } from '@farebox/devnet'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasStrace } from '../../../../scripts/testing/strace.ts'
import { answerWith, openUpstream, type UpstreamServer } from '../contract/upstream-server.ts'
import { chatOf } from '../support/buy.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'
import { parseTrace, type SystemCall, startTracedGateway } from './traced-gateway.ts'

type State = 'settling' | 'serving' | 'completed'

/** A page of the ledger's log that holds the payment in this state: id, version, state. */
function writesState({ name, text }: SystemCall, state: State): boolean {
  const row = new RegExp(`pay_[0-9a-f]{32}(\\\\.)?${state}`)
  return name === 'pwrite64' && text.includes('-wal>') && row.test(text)
}

const isFlush = ({ name, text }: SystemCall): boolean =>
  /sync$/.test(name) && text.includes('-wal>')

/** When a state was first on disk: the first flush that returned after it was written. */
function onDisk(calls: readonly SystemCall[], state: State): number {
  const written = calls.findIndex((call) => writesState(call, state))
  expect([state, written]).not.toEqual([state, -1])
  const flushed = calls.findIndex((call, index) => index > written && isFlush(call))
  expect([state, flushed]).not.toEqual([state, -1])
  return flushed
}

/** When a text first went through a socket to or from a port. */
function said(calls: readonly SystemCall[], port: string, words: string): number {
  const at = calls.findIndex(
    ({ name, text }) =>
      name !== 'pwrite64' && new RegExp(`<TCP[^"]*:${port}\\b`).test(text) && text.includes(words),
  )
  expect([words, at]).not.toEqual([words, -1])
  return at
}

test('a flush printed in two lines counts when it returned, a write when it began', () => {
  const calls = parseTrace(
    [
      '7 fdatasync(3</l-wal> <unfinished ...>',
      '8 write(4<TCP:[a:1->b:2]>, "said", 4 <unfinished ...>',
      '7 <... fdatasync resumed>)         = 0',
      '8 <... write resumed>)             = 4',
      '7 fdatasync(3</l-wal>) = -1 EIO (Input/output error)',
      '7 fsync(3</l-wal>)                      = 0',
      '7 +++ exited with 0 +++',
    ].join('\n'),
  )
  expect(calls.map(({ name }) => name)).toEqual(['write', 'fdatasync', 'fsync'])
})

describe.skipIf(!hasStrace())('the built gateway, by its system calls', () => {
  let devnet: Devnet
  let upstream: UpstreamServer
  let folder: string
  beforeAll(async () => {
    devnet = await startDevnet()
    upstream = await openUpstream({
      hello: (response) => {
        answerWith(response, 'Hello to you.', { prompt_tokens: 1, completion_tokens: 4 })
      },
    })
    folder = await mkdtemp(join(tmpdir(), 'farebox-'))
    await writeDevnetFile(join(folder, 'devnet.json'), devnet)
  })
  afterAll(async () => {
    upstream.close()
    await devnet.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  })

  test.each([true, false])(
    'each state of a payment is on disk before anything that relies on it is sent; stream: %s',
    async (stream) => {
      const gateway = await startTracedGateway(folder, {
        DATABASE_URL: `sqlite:${join(folder, `ledger-${stream}.sqlite`)}`,
        RPC_URL: devnet.rpcUrl,
        OPENROUTER_API_KEY: 'key-1',
        OPENROUTER_BASE_URL: upstream.url,
      })
      const account = (index: number) =>
        privateKeyToAccount(devnet.payers[index]?.privateKey ?? '0x')
      const body = chatOf('hello', { stream })
      const { v2 } = await signPayment({ url: gateway.url, account }, 0, { body })
      const response = await post(gateway, chatPath, { body, headers: v2 })
      expect(response.status).toBe(200)
      expect(await response.text()).toContain('Hello to you.')
      const calls = await gateway.stop()

      const chain = new URL(devnet.rpcUrl).port
      const provider = new URL(upstream.url).port
      const client = new URL(gateway.url).port
      const asked = said(calls, provider, 'POST /api/v1/chat/completions')
      const answered = said(calls, client, 'HTTP/1.1 200 OK')
      expect(onDisk(calls, 'settling')).toBeLessThan(said(calls, chain, 'eth_sendRawTransaction'))
      // The proof is recorded in the same step.
      expect(onDisk(calls, 'serving')).toBeLessThan(asked)
      expect(asked).toBeLessThan(answered)
      // The headers of a stream leave with the first words.
      expect(said(calls, client, 'Hello to you.')).toBe(answered)
      const completed = onDisk(calls, 'completed')
      const ending = stream ? 'data: [DONE]' : 'HTTP/1.1 200 OK'
      expect(completed).toBeLessThan(said(calls, client, ending))
      // The chunk that makes a stream look complete waits for that too.
      expect(completed).toBeLessThan(said(calls, client, '\\"finish_reason\\":\\"stop\\"'))
    },
  )
})
