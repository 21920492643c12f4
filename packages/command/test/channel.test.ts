import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type ChannelGateway,
  startChannelGateway,
} from '../../../scripts/testing/channel-gateway.ts'
import { type Output, type Run, runFarebox } from './support/run-farebox.ts'

let gateway: ChannelGateway
let folder: string

beforeEach(async () => {
  gateway = await startChannelGateway()
  folder = await mkdtemp(join(tmpdir(), 'farebox-channel-'))
})
afterEach(async () => {
  await gateway.stop()
  await rm(folder, { recursive: true, force: true })
})

async function farebox(
  args: readonly string[],
  run: Pick<Run, 'signal' | 'onWrite'> = {},
): Promise<Output> {
  const environment = {
    FAREBOX_URL: gateway.url,
    FAREBOX_PRIVATE_KEY: '01'.repeat(32),
    FAREBOX_LOCAL_KEY: 'local-key',
    XDG_STATE_HOME: folder,
  }
  return await runFarebox(args, { environment, ...run })
}

/** Runs the proxy for as long as the work takes. Returns what it noted. */
async function withProxy(
  options: readonly string[],
  work: (url: string) => Promise<void>,
): Promise<string> {
  const stop = new AbortController()
  let opened: (url: string) => void = () => undefined
  const url = new Promise<string>((resolve) => {
    opened = resolve
  })
  const running = farebox(['proxy', '--port', '0', ...options], {
    signal: stop.signal,
    onWrite: (text) => opened(/^http:\S+/.exec(text)?.[0] ?? ''),
  })
  await work(await url)
  stop.abort()
  const { status, notes } = await running
  expect(status).toBe(0)
  return notes
}

async function post(url: string): Promise<Response> {
  return await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer local-key', 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] }),
  })
}

async function ask(url: string): Promise<void> {
  const response = await post(url)
  expect(response.status).toBe(200)
  await response.text()
}

function types(): readonly string[] {
  return gateway.paid.map(({ type, scheme }) => type ?? scheme)
}

test('the proxy opens a channel after three calls, and continues with it in the next run', async () => {
  const first = await withProxy([], async (url) => {
    for (let call = 0; call < 5; call += 1) await ask(url)
  })
  expect(first.match(/payment channel 0x.*/g)).toEqual([
    expect.stringMatching(
      /^payment channel 0x[0-9a-f]{64}: 0\.\d+ USDC deposited, 0\.\d+ USDC left\./,
    ),
  ])
  const second = await withProxy([], async (url) => await ask(url))
  expect(second).not.toContain('payment channel')
  expect(types()).toEqual([...Array<string>(3).fill('exact'), 'deposit', 'voucher', 'voucher'])
})

test('the proxy says once why its channel does not pay', async () => {
  const notes = await withProxy(['--max-usd-total', '0.02'], async (url) => {
    for (let call = 0; call < 6; call += 1) await ask(url)
  })
  expect(types()).toEqual(Array<string>(6).fill('exact'))
  expect(notes.match(/.*paid by exact.*/g)).toEqual([
    'The call is paid by exact: a deposit of 0.02 USDC exceeds what is left of the hourly or the total cap.',
  ])
})

test('the proxy pays for each call separately with --no-channel', async () => {
  await withProxy(['--no-channel'], async (url) => {
    for (let call = 0; call < 5; call += 1) await ask(url)
  })
  expect(types()).toEqual(Array<string>(5).fill('exact'))
})

test('a channel is topped up, shown and closed', async () => {
  expect(await farebox(['channel'])).toMatchObject({ status: 3 })
  const opened = await farebox(['channel', 'top-up', '0.5'])
  expect(opened.out).toMatch(
    /^0x[0-9a-f]{64} {2}open on Base Sepolia: 0\.5 USDC left, 0 USDC spent, 0\.5 USDC deposited\n$/,
  )
  const shown = await farebox(['channel', '--json'])
  expect(JSON.parse(shown.out)).toMatchObject([
    { status: 'open', rest: { usdc: '500000', usd: '0.5' }, withdrawAt: null },
  ])
  const closed = await farebox(['channel', 'close'])
  const [[id, channel] = []] = gateway.channels
  const line = (text: string) => `${id}  ${text}\n`
  expect(closed.out).toBe(
    line('closing on Base Sepolia: 0.5 USDC is being returned, 0 USDC spent, 0.5 USDC deposited'),
  )
  expect(types()).toEqual(['deposit', 'refund'])
  if (channel !== undefined) Object.assign(channel, { status: 'closed', returned: 500_000n })
  expect((await farebox(['channel'])).out).toBe(
    line(
      'closed on Base Sepolia: 0 USDC left, 0 USDC spent, 0.5 USDC deposited, 0.5 USDC returned',
    ),
  )
  expect(types()).toEqual(['deposit', 'refund'])
})

test('a deposit is in the list of payments', async () => {
  await farebox(['channel', 'top-up', '0.5'])
  await farebox(['channel', 'close'])
  const [id] = [...gateway.channels.keys()]
  const listed = await farebox(['payments'])
  expect(listed.status).toBe(0)
  expect(listed.out).toMatch(
    new RegExp(`^at .*\n\\S+ \\S+ {2}deposit into a channel +- +0\\.5 +- +${id}\n$`),
  )
  expect(JSON.parse((await farebox(['payments', '--json'])).out)).toEqual([
    {
      channelId: id,
      url: gateway.url,
      at: expect.any(String),
      deposit: { usd: '0.5', transaction: `0x${'12'.repeat(32)}` },
    },
  ])
  expect(await farebox(['payments', id ?? ''])).toMatchObject({
    status: 3,
    notes: expect.stringContaining('`farebox channel` shows a payment channel'),
  })
})

test('a top-up that is interrupted says that its deposit was sent', async () => {
  const interrupted = new AbortController()
  const waiting = await startChannelGateway(async () => {
    interrupted.abort()
  })
  const environment = {
    FAREBOX_URL: waiting.url,
    FAREBOX_PRIVATE_KEY: '01'.repeat(32),
    XDG_STATE_HOME: folder,
  }
  const run = { environment, signal: interrupted.signal }
  expect((await runFarebox(['channel', 'top-up', '0.5'], run)).notes).toContain(
    '\nThe deposit of 0.5 USDC was sent. `farebox channel` shows whether it arrived.\n',
  )
  const late = { environment, signal: AbortSignal.abort() }
  expect((await runFarebox(['channel', 'top-up', '0.5'], late)).notes).not.toContain('was sent')
  await waiting.stop()
})

test('a channel whose file was lost is shown, and closed', async () => {
  await farebox(['channel', 'top-up', '0.5'])
  await rm(join(folder, 'farebox', 'channels'), { recursive: true })
  expect((await farebox(['channel'])).out).toContain('open on Base Sepolia: 0.5 USDC left')
  expect(await farebox(['channel', 'close'])).toMatchObject({
    status: 0,
    out: expect.stringContaining('0.5 USDC is being returned'),
  })
})

test('a channel that a running proxy pays from is shown, and not closed', async () => {
  await farebox(['channel', 'top-up', '0.5'])
  await withProxy([], async () => {
    expect((await farebox(['channel'])).out).toContain('0.5 USDC left')
    const { notes, status } = await farebox(['channel', 'close'])
    expect(notes).toContain('Stop it, then close the channel.')
    expect(status).toBe(1)
  })
  expect((await farebox(['channel', 'close'])).status).toBe(0)
})

test('a channel that a running proxy pays from is not topped up meanwhile', async () => {
  await farebox(['channel', 'top-up', '0.5'])
  await withProxy([], async () => {
    const { notes, status } = await farebox(['channel', 'top-up', '0.5'])
    expect(notes).toContain('Stop it, then top up the channel.')
    expect(status).toBe(1)
  })
  expect(types()).toEqual(['deposit'])
  expect((await farebox(['channel', 'top-up', '0.5'])).out).toContain('1 USDC deposited')
})

test('a channel that is not closed keeps no other open, and its reason is given', async () => {
  const two = ['--channel-deposit', '0.5']
  await withProxy(two, async (first) => {
    await withProxy(two, async (second) => {
      for (let call = 0; call < 4; call += 1) for (const url of [first, second]) await ask(url)
    })
  })
  const [tooEarly, due] = [...gateway.channels.keys()]
  gateway.refusalOf = (id) => (id === tooEarly ? 'refund_too_early' : undefined)
  const { out, notes, status } = await farebox(['channel', 'close'])
  expect(out).toMatch(new RegExp(`^${due}  closing on Base Sepolia.*\n$`))
  expect(notes).toContain('refund_too_early')
  expect(status).toBe(4)
})

test('a damaged channel file is named to the app and on the terminal, with what helps', async () => {
  await withProxy([], async (url) => {
    for (let call = 0; call < 4; call += 1) await ask(url)
  })
  const names = await readdir(join(folder, 'farebox', 'channels'))
  const path = join(folder, 'farebox', 'channels', names[0] ?? '')
  await writeFile(path, '[{"id":')
  const notes = await withProxy([], async (url) => {
    const response = await post(url)
    expect(response.status).toBe(502)
    expect(await response.text()).toContain(`${path} is damaged. Remove it`)
  })
  expect(notes).toContain(`nothing was paid. ${path} is damaged. Remove it`)
})

test('what the gateway refuses, and an amount that is missing, are errors', async () => {
  await farebox(['channel', 'top-up', '0.5'])
  gateway.refusal = 'refund_too_early'
  expect(await farebox(['channel', 'close'])).toMatchObject({
    status: 4,
    notes: expect.stringContaining('refund_too_early'),
  })
  expect((await farebox(['channel', 'top-up'])).notes).toContain('channel top-up 0.50')
  expect((await farebox(['channel', 'empty'])).status).toBe(2)
})

test('tools that are interrupted while they start do not wait for their agent', async () => {
  expect(await farebox(['mcp'], { signal: AbortSignal.abort() })).toMatchObject({ status: 0 })
})

test.each(['bash', 'fish'])('completion offers what a channel can do, in %s', async (shell) => {
  const { out } = await farebox(['completion', shell])
  expect(out).toContain('top-up')
})

test.each([
  ['proxy', []],
  ['mcp', ['--http']],
])('%s whose port is taken keeps no channel locked', async (command, options) => {
  const { port } = new URL(gateway.url)
  const { status, notes } = await farebox([command, ...options, '--port', port])
  expect([status, notes]).toEqual([1, expect.stringContaining(`Port ${port} is taken`)])
  expect(await readdir(join(folder, 'farebox', 'channels'))).toEqual([])
})
