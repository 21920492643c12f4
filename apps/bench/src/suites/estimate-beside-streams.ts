import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createFareboxClient } from '@farebox/client'
import { privateKeyToAccount } from 'viem/accounts'
import { type PeerProcess, startPeer } from '../peers/peer-process.ts'
import { printTable } from '../report/table.ts'
import type { Suite } from '../suite.ts'

/** How the largest estimates affect paid streams that run at the same time. */
export const estimateBesideStreams: Suite = {
  name: 'estimate-beside-streams',
  question: 'event-loop delay while 8 paid streams run and 100 x 100,000 characters are estimated',
  run: async ({ isQuick }) => {
    const folder = mkdtempSync(join(tmpdir(), 'farebox-bench-'))
    const gateway = await startPeer({
      file: 'apps/gateway/src/main.ts',
      settings: {
        PORT: '0',
        DATA_DIR: folder,
        RATE_LIMIT_PER_MINUTE: '1000000',
      },
    })
    try {
      const windowMs = isQuick ? 2_000 : 10_000
      const rows = await measureAll({ gateway, folder, windowMs })
      printTable(['', 'estimates', 'seconds each', 'CPU s each', 'loop delay p99 ms'], rows)
      return undefined
    } finally {
      await gateway.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

type Bench = {
  readonly gateway: PeerProcess
  readonly folder: string
  readonly windowMs: number
}

/** The rate limit of one address: 100 per minute. */
const betweenEstimatesMs = 600

async function measureAll(bench: Bench): Promise<(readonly string[])[]> {
  const done = new AbortController()
  const streams = Promise.all(
    Array.from({ length: 8 }, (_, index) => streamUntil(bench, index, done.signal)),
  )
  // The first streams load modules and vocabularies.
  await pause(3_000)
  const rows: (readonly string[])[] = [await measureRow(bench, 'streams alone', undefined)]
  for (const [name, text] of texts) rows.push(await measureRow(bench, name, text))
  done.abort()
  await streams
  return rows
}

const sentence = 'The gateway counts what a request may cost before anyone pays for it. '

const texts: readonly (readonly [name: string, text: (message: number) => string])[] = [
  ['ordinary text', (message) => `${message} ${sentence.repeat(1_500)}`.slice(0, 100_000)],
  ['a run of one letter', () => 'a'.repeat(100_000)],
  ['a run of slashes', () => '/'.repeat(100_000)],
  ['letters without a space', (message) => pseudoRandom(message)],
]

function pseudoRandom(seed: number): string {
  let state = seed + 1
  return Array.from({ length: 100_000 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    // The low bits repeat soon.
    return String.fromCharCode(97 + ((state >>> 16) % 26))
  }).join('')
}

async function measureRow(
  { gateway, windowMs }: Bench,
  name: string,
  text: ((message: number) => string) | undefined,
): Promise<readonly string[]> {
  const before = await gateway.usage()
  const startedAt = performance.now()
  let estimates = 0
  while (performance.now() - startedAt < windowMs) {
    if (text === undefined) await pause(windowMs)
    else {
      await estimate(gateway.url, text)
      estimates += 1
      await pause(betweenEstimatesMs)
    }
  }
  const seconds = (performance.now() - startedAt) / 1000
  const after = await gateway.usage()
  const cpu = (after.cpu - before.cpu) / 1_000_000
  const each = (total: number): string => (estimates === 0 ? '-' : (total / estimates).toFixed(2))
  return [name, String(estimates), each(seconds), each(cpu), after.loopDelay?.toFixed(1) ?? '']
}

async function estimate(url: string, text: (message: number) => string): Promise<void> {
  const messages = Array.from({ length: 100 }, (_, index) => ({
    role: 'user',
    content: text(index),
  }))
  const response = await fetch(`${url}/v1/estimate`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-4.1-mini', messages, max_tokens: 1 }),
  })
  await response.arrayBuffer()
}

async function streamUntil(
  { gateway, folder }: Bench,
  index: number,
  done: AbortSignal,
): Promise<void> {
  const file = JSON.parse(readFileSync(join(folder, 'devnet.json'), 'utf8')) as {
    payers: readonly { privateKey: `0x${string}` }[]
  }
  const privateKey = file.payers[index]?.privateKey
  if (privateKey === undefined) throw new RangeError('the devnet has too few payers')
  const client = createFareboxClient({
    baseUrl: gateway.url,
    account: privateKeyToAccount(privateKey),
  })
  while (!done.aborted) {
    const content = '[[sandbox: tokens=200 tokens_per_second=100]] Talk.'
    const stream = await client.chatStream({
      model: 'openai/gpt-4.1-mini',
      messages: [{ role: 'user', content }],
      max_tokens: 300,
    })
    for await (const chunk of stream) if (chunk.choices.length === 0) continue
  }
}
