import { generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openLedger } from '@farebox/ledger/sql'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { settings } from '../../src/settings.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'
import { runGateway, withFolder } from './run-gateway.ts'

const key = (last: string): string => `0x${last.padStart(64, '0')}`

const cdpSecret = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ format: 'pem', type: 'sec1' })
  .toString()

const mistakes: readonly (readonly [keyof typeof settings, readonly string[]])[] = [
  ['PORT', ['x', '-1', '65536', '1.5']],
  ['PUBLIC_URL', ['gateway', 'ftp://a.example', 'https://a.example/?b=c', 'https://a.example/#']],
  ['PUBLIC_URL', ['https://user:canary@a.example', 'https://user@a.example']],
  ['NETWORK', ['mainnet', 'BASE']],
  ['RPC_URL', ['x', 'ws://a.example']],
  ['TREASURY_PRIVATE_KEY', ['1', '0x12', key('0'), `0x${'f'.repeat(64)}`]],
  ['RELAYER_PRIVATE_KEY', ['1', key('g')]],
  ['OWN_ACCOUNTS', ['0x12', `0x${'1'.repeat(40)},x`, 'x']],
  ['FACILITATOR_URL', ['x']],
  ['CDP_API_KEY_SECRET', ['b', 'AAAA', '-----BEGIN EC PRIVATE KEY-----']],
  ['DATABASE_URL', ['mysql://a', 'sqlite:', '/a/b.sqlite', 'postgres://u:canary/x@a/b']],
  ['REDIS_URL', ['http://a', 'a']],
  ['OPENAI_API_KEY', ['sk-a\n', ' sk-a', 'sk a', '\u201csk-a\u201d']],
  ['CUSTOM_PROVIDER_API_KEY', ['a\r\nX-B: c']],
  ['AWS_SECRET_ACCESS_KEY', ['a\n']],
  ['OPENAI_BASE_URL', ['x', 'https://user:canary@a.example/v1', 'https://a.example/v1?b=c']],
  ['CATALOG_REFRESH_MODELS_DEV_URL', ['https://user:canary@a.example/api.json']],
  ['CATALOG_REFRESH_OPENROUTER_URL', ['https://user:canary@a.example/models']],
  ['AZURE_AUTHORITY_HOST', ['https://user:canary@a.example']],
  ['VLLM_BASE_URL', ['http://user:canary@127.0.0.1:8000/v1']],
  ['CUSTOM_PROVIDER_BASE_URL', ['http://127.0.0.1:8000/v1?a=b']],
  ['SANDBOX_PROVIDER', ['yes']],
  ['CATALOG_OVERRIDES', ['/no/such.json']],
  ['TOKENIZER_VOCABULARIES', ['/data/llama3.bin', 'qwen=x', 'lama3=x', 'llama3=/no/such.bin']],
  ['TOKENIZER_FACTORS', ['/no/such.json']],
  ['DEFAULT_CHAT_MODEL', ['no/such']],
  ['DEFAULT_IMAGE_MODEL', ['no/such']],
  ['PRICE_BUFFER_BPS', ['-1', 'x', '1.5']],
  ['MARKUP_BPS', ['-1', '9999999']],
  ['MIN_CHARGE_USDC', ['0', '-1', 'x', '0.0000001', '1000', '9'.repeat(30)]],
  ['CHANNEL_MIN_CHARGE_USDC', ['0', 'x', '100.000001']],
  ['REFUND_MIN_USDC', ['x', '0.0000001']],
  ['REFUND_MAX_DELAY_SECONDS', ['x', '-1']],
  ['REFUND_CONFIRMATIONS', ['0', 'x']],
  ['RESUME_SECONDS', ['-1']],
  ['REPLAY_SECONDS', ['x']],
  ['RATE_LIMIT_PER_MINUTE', ['0', 'x']],
  ['TRUST_PROXY', ['true', '1', '999.1.1.1', '10.0.0.0/33', '0.0.0.0/0', '::/0']],
  ['LOG_LEVEL', ['loud']],
  ['METRICS_PORT', ['x', '70000']],
]

describe('the configuration', () => {
  test.each(mistakes)('%s: each invalid value is reported', (name, values) => {
    for (const value of values) {
      const read = readConfig({ [name]: value })
      expect([value, read.status]).toEqual([value, 'invalid'])
      const problems = read.status === 'invalid' ? read.problems : []
      expect(problems.map((text) => text.split(/[ :]/)[0])).toEqual([name])
    }
  })

  test.each([
    [{ NETWORK: 'base' }, ['RPC_URL', 'TREASURY_PRIVATE_KEY', 'RELAYER_PRIVATE_KEY']],
    [{ CDP_API_KEY_ID: 'a' }, ['CDP_API_KEY_ID']],
    [{ PORT: '9464', METRICS_PORT: '9464' }, ['METRICS_PORT']],
    [{ CUSTOM_PROVIDER_BASE_URL: 'http://127.0.0.1:1' }, ['CUSTOM_PROVIDER_MODELS']],
    [{ TREASURY_PRIVATE_KEY: key('1'), RELAYER_PRIVATE_KEY: key('1') }, ['RELAYER_PRIVATE_KEY']],
    [
      {
        NETWORK: 'base',
        RPC_URL: 'http://127.0.0.1:1',
        TREASURY_PRIVATE_KEY: key('1'),
        RELAYER_PRIVATE_KEY: key('2'),
        SANDBOX_PROVIDER: 'on',
      },
      ['SANDBOX_PROVIDER'],
    ],
    [
      { PORT: 'x', CDP_API_KEY_SECRET: cdpSecret, NETWORK: 'base', RPC_URL: 'x' },
      ['PORT', 'RPC_URL', 'TREASURY_PRIVATE_KEY', 'RELAYER_PRIVATE_KEY', 'CDP_API_KEY_ID'],
    ],
  ])('%j: what does not go together is said at once', (environment, names) => {
    const read = readConfig(environment)
    const problems = read.status === 'invalid' ? read.problems : []
    expect(problems.map((text) => text.split(' ')[0])).toEqual(names)
  })

  test('a file that is not valid JSON is named', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'models.json')
      await writeFile(path, '{"models":[')
      expect(readConfig({ CUSTOM_PROVIDER_MODELS: path })).toMatchObject({
        status: 'invalid',
        problems: expect.arrayContaining([
          expect.stringContaining(`CUSTOM_PROVIDER_MODELS: ${path} is not valid JSON.`),
        ]),
      })
    })
  })

  test('an empty variable counts as unset', () => {
    const empty = Object.fromEntries(Object.keys(settings).map((name) => [name, '']))
    expect(readConfig(empty)).toEqual(readConfig({}))
    expect(readConfig({})).toMatchObject({
      status: 'valid',
      config: {
        HOST: '127.0.0.1',
        PORT: 4020,
        CONSOLE_PORT: 4022,
        NETWORK: 'devnet',
        DATA_DIR: '.farebox',
      },
    })
  })
})

describe('the process', { timeout: 300_000 }, () => {
  test('reports all mistakes and exits with 2; --help prints every variable', async () => {
    const wrong = await runGateway([], {
      PORT: 'x',
      MARKUP_BPS: 'y',
      TOKENIZER_VOCABULARIES: 'gemma3=/no/such.bin',
    }).ended
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(wrong.stderr).toMatch(/PORT .*\n.*MARKUP_BPS|MARKUP_BPS .*\n.*PORT/)
    expect(wrong.stderr).toMatch(/TOKENIZER_VOCABULARIES: .*cannot be read\. Create it with: /)
    const help = await runGateway(['--help'], {}).ended
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const name of Object.keys(settings)) expect(help.stdout).toContain(`  ${name} `)
  })

  test('listens on IPv6; without a reader of its log it serves, and after SIGTERM, twice, finishes the stream, accepts no request and exits with 0; exports the ledger through a pipe', async () => {
    await withFolder(async (folder) => {
      const environment = { PORT: '0', HOST: '::1', DATA_DIR: folder, REFUND_MIN_USDC: '0.000001' }
      const running = runGateway([], environment)
      const url = await running.url
      expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/)
      running.child.stdout?.destroy()
      const { payers } = JSON.parse(await readFile(join(folder, 'devnet.json'), 'utf8'))
      const payer = {
        url,
        account: (index: number) => privateKeyToAccount(payers[index].privateKey),
      }
      const body = {
        model: 'openai/gpt-4.1-mini',
        messages: [{ role: 'user', content: '[[sandbox: tokens=200 tokens_per_second=20]]' }],
        stream: true,
      }
      const { v2: later } = await signPayment(payer, 1, { body })
      const { v2 } = await signPayment(payer, 0, { body })
      const stream = await post({ url }, chatPath, { body, headers: v2 })
      const reader = stream.body?.getReader()
      await reader?.read()
      running.child.kill('SIGTERM')
      await expect.poll(async () => (await post({ url }, chatPath, { body })).status).toBe(503)
      const refused = await post({ url }, chatPath, { body, headers: later })
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2'])
      expect((await refused.json()).error.code).toBe('shutting_down')
      running.child.kill('SIGTERM')
      let text = ''
      for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
        text += Buffer.from(read.value).toString()
      }
      expect(text).toMatch(/\n\n: receipt \{.*\}\n\ndata: \[DONE\]\n\n$/)
      expect((await running.ended).code).toBe(0)

      const exported = await runGateway(['ledger', 'export'], { DATA_DIR: folder }).ended
      expect(exported).toMatchObject({ code: 0, stderr: '' })
      const lines = exported.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(lines).toMatchObject([{ id: stream.headers.get('x-payment-id'), status: 'completed' }])
      const audited = await runGateway(['audit'], { DATA_DIR: folder }).ended
      expect(audited).toMatchObject({ code: 0, stderr: '' })
      expect(audited.stdout).toMatch(/unexplained: 0 atomic units in 0 findings\n$/)
      const healthy = await runGateway(['doctor'], { DATA_DIR: folder }).ended
      expect(healthy).toMatchObject({ code: 0, stderr: '' })
      expect(healthy.stdout).toMatch(/^((ok|note) +\w+ .*\n( +fix: .*\n)?)+$/)
      const head = runGateway(['ledger', 'export'], { DATA_DIR: folder })
      head.child.stdout?.destroy()
      expect(await head.ended).toMatchObject({ code: 0, stderr: '' })
    })
  })

  test('doctor reports each problem and exits with 1, and so does audit without a node', async () => {
    await withFolder(async (folder) => {
      const closedPort = '127.0.0.1:1'
      const ill = await runGateway(['doctor'], {
        DATA_DIR: folder,
        RPC_URL: `http://${closedPort}`,
        TREASURY_PRIVATE_KEY: key('1'),
        RELAYER_PRIVATE_KEY: key('2'),
        FACILITATOR_URL: `http://${closedPort}`,
        DATABASE_URL: `postgres://u:canarysecret@${closedPort}/x`,
        REDIS_URL: `redis://${closedPort}`,
        OPENAI_API_KEY: 'canarysecret',
        OPENAI_BASE_URL: `http://${closedPort}/v1`,
      }).ended
      expect(ill).toMatchObject({ code: 1, stderr: '' })
      const wrong = ill.stdout.split('\n').filter((line) => line.startsWith('wrong '))
      expect(wrong.map((line) => line.split(/ +/)[1])).toEqual([
        'chain',
        'facilitator',
        'database',
        'redis',
        'openai',
      ])
      expect(ill.stdout).not.toContain('canarysecret')
      await (await openLedger({ url: `sqlite:${join(folder, 'ledger.sqlite')}` })).close()
      const audited = await runGateway(['audit'], {
        DATA_DIR: folder,
        RPC_URL: `http://${closedPort}`,
        TREASURY_PRIVATE_KEY: key('1'),
        RELAYER_PRIVATE_KEY: key('2'),
      }).ended
      expect(audited.code).toBe(1)
      expect(audited.stderr).toMatch(/^Error: /)
    })
  })

  test('starts in spite of a SIGHUP during startup, and reloads its files with one after it', async () => {
    await withFolder(async (folder) => {
      const CATALOG_OVERRIDES = join(folder, 'overrides.json')
      await writeFile(CATALOG_OVERRIDES, '{}')
      const running = runGateway([], { PORT: '0', DATA_DIR: folder, CATALOG_OVERRIDES })
      await expect.poll(() => existsSync(join(folder, 'devnet.json'))).toBe(true)
      running.child.kill('SIGHUP')
      await running.url
      await writeFile(CATALOG_OVERRIDES, '{"chat":{"hide":["openai/gpt-4.1-mini"]}}')
      running.child.kill('SIGHUP')
      await expect.poll(running.output).toContain('operator_files_loaded')
      running.child.kill('SIGTERM')
      expect((await running.ended).code).toBe(0)
    })
  })

  test('exits with 0 on a SIGTERM during startup', async () => {
    await withFolder(async (folder) => {
      const running = runGateway([], { PORT: '0', DATA_DIR: folder })
      await expect.poll(() => existsSync(join(folder, 'devnet.json'))).toBe(true)
      running.child.kill('SIGTERM')
      expect((await running.ended).code).toBe(0)
    })
  })
})
