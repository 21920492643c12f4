import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { findChromium } from '../../../scripts/testing/chromium.ts'

const chromium = findChromium()
const packageFolder = new URL('../', import.meta.url)

/** Ids of tiktoken 1.0.22 in o200k_base, and the text that they decode to. */
const vectors: readonly { readonly text: string; readonly ids: readonly number[] }[] = [
  { text: 'hello world', ids: [24912, 2375] },
  { text: 'お誕生日おめでとう', ids: [8930, 9697, 243, 128225, 8930, 17693, 4344, 48669] },
  { text: '<|endoftext|>', ids: [27, 91, 419, 1440, 919, 91, 29] },
  { text: '\ufeffhello world', ids: [5574, 24912, 2375] },
  { text: 'a\r\n\r\n  b', ids: [64, 1414, 220, 287] },
  { text: 'a\ufffdb', ids: [64, 3251, 65] },
]

const page = `<!doctype html><title>tokens</title><script type="module">
const report = (seen) => fetch('/done', { method: 'POST', body: JSON.stringify(seen) })
try {
  const { countChatTokens, createCounter, createTokenizer } = await import('/src/index.ts')
  const { tokenizer } = await import('/src/browser/o200k-base.ts')
  const { fetchTokenizer } = await import('/src/web.ts')
  const table = await (await fetch('/assets/r50k_base.bin')).arrayBuffer()
  const texts = await (await fetch('/texts')).json()
  const chat = [{ role: 'user', content: 'hello world' }]
  await report({
    vectors: texts.map((text) => {
      const ids = [...tokenizer.encode(text)]
      return { text: tokenizer.decode(ids), ids, count: tokenizer.countTokens(text) }
    }),
    lone: [...tokenizer.encode('a\\ud800b')],
    family: tokenizer.countTokens('👨‍👩‍👧‍👦'),
    run: tokenizer.countTokens('a'.repeat(100000)),
    within: [tokenizer.isWithinTokenLimit('hello world', 2), tokenizer.isWithinTokenLimit('hello world', 1)],
    r50k: [createTokenizer(table), await fetchTokenizer('/assets/web/r50k_base.pack')].map(
      ({ encode }) => [...encode('hello world')]),
    missing: await fetchTokenizer('/assets/none').catch((error) => error.message),
    chat: countChatTokens(chat, createCounter('openai-o200k', tokenizer)),
    globals: [typeof process, typeof Buffer, typeof require],
  })
} catch (error) { await report({ error: String(error) }) }
</script>`

test.skipIf(chromium === undefined)(
  'the entry points count in a browser as in Node, o200k_base from the table for the web',
  async () => {
    if (chromium === undefined) throw new Error('no browser')
    let report: ((seen: unknown) => void) | undefined
    const seen = new Promise<unknown>((resolve) => (report = resolve))
    const server = createServer((request, response) => {
      if (request.url === '/done') {
        response.end()
        void text(request).then((body) => report?.(JSON.parse(body)))
      } else {
        answer(request, response).catch(() => {
          response.writeHead(404).end()
        })
      }
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const profile = await mkdtemp(join(tmpdir(), 'farebox-browser-'))
    const browser = spawn(
      chromium.executablePath,
      [
        ...chromium.args,
        '--headless',
        '--disable-gpu',
        `--user-data-dir=${profile}`,
        '--remote-debugging-port=0',
        `http://127.0.0.1:${port}/`,
      ],
      { stdio: 'ignore', detached: true },
    )
    const ended = once(browser, 'exit').then(
      ([code]) => ({ browser: `exited with ${code}` }),
      (error: unknown) => ({ browser: String(error) }),
    )
    try {
      expect(await Promise.race([seen, ended])).toEqual({
        vectors: vectors.map((vector) => ({ ...vector, count: vector.ids.length })),
        lone: [64, 3251, 65],
        family: 11,
        run: 12_500,
        within: [2, false],
        // tiktoken 1.0.22
        r50k: [
          [31373, 995],
          [31373, 995],
        ],
        missing: 'The table file at /assets/none returned HTTP 404',
        chat: { tokens: 9, method: 'exact', upperBound: 9 },
        globals: ['undefined', 'undefined', 'undefined'],
      })
    } finally {
      killGroup(browser)
      await ended
      server.closeAllConnections()
      server.close()
      await rm(profile, { recursive: true, force: true, maxRetries: 10 })
    }
  },
)

/** Stops its child processes too, which would otherwise keep writing to the profile. */
function killGroup({ pid, exitCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGKILL')
}

/** Serves the page, the sources with their types stripped, and the tables. Nothing is bundled. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '/'
  if (path === '/') return end(response, 'text/html; charset=utf-8', page)
  if (path === '/texts')
    return end(response, 'application/json', JSON.stringify(vectors.map((vector) => vector.text)))
  if (path.startsWith('/src/')) {
    const source = await readFile(new URL(`.${path}`, packageFolder), 'utf8')
    return end(response, 'text/javascript; charset=utf-8', stripTypeScriptTypes(source))
  }
  if (path.startsWith('/assets/'))
    return end(
      response,
      'application/octet-stream',
      await readFile(new URL(`.${path}`, packageFolder)),
    )
  throw new Error(`${path} is not served`)
}

function end(response: ServerResponse, type: string, body: string | Buffer): void {
  response.setHeader('Content-Type', type).end(body)
}
