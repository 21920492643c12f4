import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { batchSettlementAddress, type Devnet, startDevnet } from '@farebox/devnet'
import { type RpcFaults, startRpcFaults } from '@farebox/devnet/faults'
import { atomicUsdc } from '@farebox/money'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openCollector } from '../../../../scripts/testing/otlp-collector.ts'
import { usdcOfWei } from '../../src/chain/usdc-of-wei.ts'
import { readConfig } from '../../src/config.ts'
import { checkChain } from '../../src/doctor/check-chain.ts'
import { checkChannels } from '../../src/doctor/check-channels.ts'
import { chargeFindings, checkCharge } from '../../src/doctor/check-charge.ts'
import { checkExposure } from '../../src/doctor/check-exposure.ts'
import { checkLimits } from '../../src/doctor/check-limits.ts'
import { checkSettleMode } from '../../src/doctor/check-settle-mode.ts'
import { checkTelemetry } from '../../src/doctor/check-telemetry.ts'
import type { Config } from '../../src/settings.ts'

function configOf(environment: Readonly<Record<string, string>>): Config {
  const read = readConfig(environment)
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  return read.config
}

describe('the chain', () => {
  let devnet: Devnet
  let node: RpcFaults
  beforeAll(async () => {
    devnet = await startDevnet()
    node = await startRpcFaults({ target: devnet.rpcUrl })
  })
  afterEach(() => {
    node.setRule()
  })
  afterAll(async () => {
    await node.stop()
    await devnet.stop()
  })

  const check = () =>
    checkChain(
      configOf({
        RPC_URL: node.url,
        TREASURY_PRIVATE_KEY: devnet.treasury.privateKey,
        RELAYER_PRIVATE_KEY: devnet.relayer.privateKey,
      }),
    )

  test('that is right has a finding for each of its parts, with addresses and amounts', async () => {
    expect(await check()).toMatchObject([
      {
        verdict: 'ok',
        subject: 'chain',
        message: expect.stringMatching(/^chain id 84532 at block/),
      },
      { verdict: 'ok', subject: 'treasury', message: expect.stringContaining('0x') },
      {
        verdict: 'ok',
        subject: 'relayer',
        message: expect.stringMatching(/^0x\w{40} holds .* ETH$/),
      },
      { verdict: 'ok', subject: 'channels' },
    ])
  })

  test('of channels needs their contract, its domain, and gas for a day of claims', async () => {
    const [treasury, relayer] = [devnet.treasury, devnet.relayer]
    const config = configOf({
      CHANNELS: 'on',
      TREASURY_PRIVATE_KEY: treasury.privateKey,
      RELAYER_PRIVATE_KEY: relayer.privateKey,
    })
    const access = { rpcUrl: node.url, relayerKey: relayer.privateKey }
    const ofChannels = () => checkChannels(config, access)
    const [found] = await ofChannels()
    expect(found).toMatchObject({ verdict: 'ok', subject: 'channels' })
    const [, codeHash = ''] = /has the code (0x[0-9a-f]{64});/.exec(found?.message ?? '') ?? []
    const knowing = (hash: string) =>
      checkChannels({ ...config, CHANNEL_CODE_HASH: hash as `0x${string}` }, access)
    expect(await knowing(codeHash)).toMatchObject([{ verdict: 'ok' }])
    expect(await knowing(`0x${'1'.repeat(64)}`)).toMatchObject([
      { verdict: 'wrong', message: expect.stringContaining('is not CHANNEL_CODE_HASH') },
    ])
    expect(await checkChannels(config, { ...access, relayerKey: undefined })).toMatchObject([
      { verdict: 'wrong', message: 'RELAYER_PRIVATE_KEY is not set: nothing could be claimed' },
    ])
    node.setRule(({ method }) =>
      method === 'eth_getCode' ? { kind: 'result', result: '0x' } : undefined,
    )
    expect(await ofChannels()).toMatchObject([
      { verdict: 'wrong', message: expect.stringContaining(batchSettlementAddress.toLowerCase()) },
    ])
    node.setRule(({ method }) =>
      method === 'eth_call' ? { kind: 'result', result: `0x${'1'.repeat(64)}` } : undefined,
    )
    expect(await ofChannels()).toMatchObject([
      { verdict: 'wrong', message: expect.stringContaining('expects other signatures') },
    ])
    expect(await checkChannels({ ...config, CHANNELS: undefined }, access)).toEqual([])
  })

  test('keys that are missing are a finding of their own', async () => {
    const findings = await checkChain(configOf({ RPC_URL: node.url, DATA_DIR: '/nowhere' }))
    expect(findings).toMatchObject([
      { verdict: 'wrong', subject: 'keys', fix: expect.stringMatching(/^set the keys/) },
    ])
  })

  test('an account that may not sign is a finding with the reason', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'farebox-'))
    const path = join(folder, 'account.mjs')
    const { address } = devnet.treasury
    const sign = "() => Promise.reject(new Error('AccessDenied'))"
    await writeFile(path, `export default { address: '${address}', sign: ${sign} }`)
    const config = configOf({
      RPC_URL: node.url,
      TREASURY_ACCOUNT_MODULE: path,
      RELAYER_PRIVATE_KEY: devnet.relayer.privateKey,
    })
    const findings = await checkChain(config)
    await rm(folder, { recursive: true })
    expect(findings.filter(({ subject }) => subject === 'treasury')).toEqual([
      { verdict: 'ok', subject: 'treasury', message: expect.stringContaining(address) },
      {
        verdict: 'wrong',
        subject: 'treasury',
        message: `The account ${address} could not sign: AccessDenied`,
        fix: 'check the module of the account, and whether it may sign with the key',
      },
    ])
  })

  test('whose token blocks the treasury, or is paused, is a finding', async () => {
    const { address } = devnet.treasury
    const before = await devnet.snapshot()
    await devnet.blacklist(address)
    await devnet.pause()
    const findings = await check()
    await devnet.revert(before)
    expect(findings.filter(({ verdict }) => verdict === 'wrong')).toEqual([
      {
        verdict: 'wrong',
        subject: 'treasury',
        message: 'USDC is paused: no payment and no refund passes',
        fix: 'wait until its issuer resumes it',
      },
      {
        verdict: 'wrong',
        subject: 'treasury',
        message: `${address} is on the blocklist of USDC: no payment and no refund passes`,
        fix: 'ask its issuer, Circle, why',
      },
    ])
  })

  test('of another network is the only finding, and has a fix', async () => {
    node.setRule(({ method }) =>
      method === 'eth_chainId' ? { kind: 'result', result: '0x2105' } : undefined,
    )
    expect(await check()).toEqual([
      {
        verdict: 'wrong',
        subject: 'chain',
        message: 'RPC_URL is chain 8453, but NETWORK=devnet requires chain 84532',
        fix: 'set RPC_URL to a node of this network, or NETWORK to that of the node',
      },
    ])
  })

  test('whose node fails in one check leaves the findings of the others', async () => {
    const { address } = devnet.treasury
    node.setRule(({ params }) =>
      JSON.stringify(params).toLowerCase().includes(address.slice(2).toLowerCase())
        ? { kind: 'status', status: 500 }
        : undefined,
    )
    expect(await check()).toMatchObject([
      { verdict: 'ok', subject: 'chain' },
      {
        verdict: 'wrong',
        subject: 'treasury',
        message: expect.stringMatching(/^Could not read the (code|balance) of 0x/),
      },
      { verdict: 'ok', subject: 'relayer' },
      { verdict: 'ok', subject: 'channels' },
    ])
  })

  test('of a live network whose treasury holds less than its alarm asks for is a note', async () => {
    const config = configOf({
      NETWORK: 'base-sepolia',
      RPC_URL: node.url,
      TREASURY_PRIVATE_KEY: devnet.treasury.privateKey,
      RELAYER_PRIVATE_KEY: devnet.relayer.privateKey,
    })
    const { address } = devnet.treasury
    const treasury = async () =>
      (await checkChain(config)).find(({ subject }) => subject === 'treasury')
    await devnet.mint(address, 250_000n - (await devnet.usdcBalance(address)))
    expect(await treasury()).toEqual({
      verdict: 'note',
      subject: 'treasury',
      message: `${address} holds 0.250000 USDC, which may soon not cover refunds`,
      fix: 'send it at least 0.750000 USDC',
    })
    await devnet.mint(address, 750_000n)
    expect(await treasury()).toMatchObject({ verdict: 'ok' })
  })

  // The last of this chain, whose clock it sets.
  test('of a live network is ahead of a machine whose clock is behind', async () => {
    const config = configOf({
      NETWORK: 'base-sepolia',
      RPC_URL: node.url,
      TREASURY_PRIVATE_KEY: devnet.treasury.privateKey,
      RELAYER_PRIVATE_KEY: devnet.relayer.privateKey,
    })
    const clock = async () => (await checkChain(config)).find(({ subject }) => subject === 'clock')
    await devnet.rpc('evm_increaseTime', ['0xe10'])
    await devnet.mine(1)
    expect(await clock()).toEqual({
      verdict: 'wrong',
      subject: 'clock',
      message: expect.stringMatching(/^this machine is 3[56]\d\d s behind the latest block/),
      fix: 'set the clock by NTP',
    })
  })
})

test.each([
  [{ REFUND_CAP_USDC: '2', REFUND_CAP_PER_HOUR_USDC: '1' }, /^REFUND_CAP_PER_HOUR_USDC is below/],
  [{ REFUND_CAP_USDC: '0.1', REFUND_MIN_USDC: '0.1' }, /^REFUND_CAP_USDC is not above REFUND_MIN/],
  [{ REFUND_CAP_USDC: '0.001' }, /^REFUND_CAP_USDC is not above MIN_CHARGE_USDC/],
  [{ RESUME_SECONDS: '10' }, /^RESUME_SECONDS is below LEASE_SECONDS/],
  [{ REPLAY_SECONDS: '0' }, /^REPLAY_SECONDS is 0/],
] as const)('limits that do not fit each other are one finding: %j', (environment, message) => {
  const found = checkLimits(configOf(environment))
  expect(found).toHaveLength(1)
  expect(found[0]?.message).toMatch(message)
})

test('the default limits fit each other', () => {
  expect(checkLimits(configOf({}))).toEqual([])
})

test.each([
  // 170,692 gas at 0.005 gwei and $3,000 an ETH are 2,560.38 units.
  [2_560n, 853_460_000_000n, 'note', '0.002561'],
  [2_561n, 853_460_000_000n, 'ok', '0.002561'],
  [1_000n, 170_692_000_000n, 'ok', '0.000513'],
] as const)(
  'the minimum charge and the gas of a call: %s units at %s wei is %s',
  (charge, alone, verdict, cost) => {
    const costs = { grouped: atomicUsdc(0n), alone: usdcOfWei(alone, 3_000n) }
    const [found] = chargeFindings(atomicUsdc(charge), costs)
    expect(found).toMatchObject({ verdict, message: expect.stringContaining(cost) })
    expect(found?.fix?.includes(cost) ?? true).toBe(true)
  },
)

test('gas that a facilitator pays is not compared with the charge', async () => {
  const config = configOf({
    NETWORK: 'base-sepolia',
    RPC_URL: 'http://127.0.0.1:9',
    TREASURY_PRIVATE_KEY: `0x${'1'.repeat(64)}`,
    FACILITATOR_URL: 'http://127.0.0.1:9',
  })
  expect(
    await checkCharge(config, { rpcUrl: 'http://127.0.0.1:9', relayerKey: undefined }),
  ).toEqual([])
})

test('a gateway that other machines reach: the doctor names the headers that it trusts', () => {
  const subjects = (environment: Readonly<Record<string, string>>) =>
    checkExposure(configOf(environment)).map(({ subject }) => subject)
  expect(subjects({})).toEqual([])
  expect(subjects({ HOST: '0.0.0.0' })).toEqual(['proxy', 'public url'])
  const set = { HOST: '0.0.0.0', TRUST_PROXY: '10.0.0.7', PUBLIC_URL: 'https://pay.example' }
  expect(subjects(set)).toEqual([])
})

test('a gateway behind a proxy on its own machine: the doctor asks for the address of clients', () => {
  const base = {
    NETWORK: 'base',
    RPC_URL: 'http://127.0.0.1:9',
    TREASURY_PRIVATE_KEY: `0x${'1'.repeat(64)}`,
    RELAYER_PRIVATE_KEY: `0x${'2'.repeat(64)}`,
  }
  expect(checkExposure(configOf(base))).toMatchObject([
    { verdict: 'note', subject: 'public url', fix: expect.stringContaining('PUBLIC_URL') },
  ])
  expect(checkExposure(configOf({ ...base, PUBLIC_URL: 'https://pay.example' }))).toEqual([])
})

test('preconfirmations are not read where a facilitator settles', () => {
  const verdicts = (environment: Readonly<Record<string, string>>) =>
    checkSettleMode(configOf(environment)).map(({ verdict }) => verdict)
  const facilitator = { FACILITATOR_URL: 'http://127.0.0.1:9' }
  expect(verdicts({ SETTLE_MODE: 'preconfirmed' })).toEqual([])
  expect(verdicts({ SETTLE_MODE: 'overlap', ...facilitator })).toEqual([])
  expect(verdicts({ SETTLE_MODE: 'preconfirmed', ...facilitator })).toEqual(['note'])
})

describe('the collector', () => {
  const check = (url: string) =>
    checkTelemetry(
      configOf({
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=canary',
      }),
    )

  test('that is not set has no finding', async () => {
    expect(await checkTelemetry(configOf({}))).toEqual([])
  })

  test('is sent an export without content, with its headers', async () => {
    const collector = await openCollector()
    expect(await check(collector.url)).toMatchObject([
      { verdict: 'ok', subject: 'traces' },
      { verdict: 'ok', subject: 'metrics' },
    ])
    const sent = collector.exports.map(({ path, headers }) => [path, headers['x-api-key']])
    expect(sent.sort()).toEqual([
      ['/v1/metrics', 'canary'],
      ['/v1/traces', 'canary'],
    ])
    expect(collector.exports.map(({ body }) => body.length)).toEqual([0, 0])
    collector.close()
  })

  test('is sent the user name and password of its URL, which no finding repeats', async () => {
    const collector = await openCollector()
    const at = (url: string) => url.replace('//', '//user:canary@')
    expect(await check(at(collector.url))).toMatchObject([{ verdict: 'ok' }, { verdict: 'ok' }])
    const basic = `Basic ${Buffer.from('user:canary').toString('base64')}`
    expect(collector.exports.map(({ headers }) => headers['authorization'])).toEqual([basic, basic])
    collector.close()
    expect(JSON.stringify(await check(at(collector.url)))).not.toContain('canary')
  })

  test.each([
    [401, /^correct the key in OTEL_EXPORTER_OTLP_HEADERS$/],
    [404, /set OTEL_EXPORTER_OTLP_METRICS_ENDPOINT alone$/],
  ])('that responds %s is wrong, and the fix says what to correct', async (status, fix) => {
    const collector = await openCollector()
    collector.respond(status)
    const [traces] = await check(collector.url)
    expect(traces).toMatchObject({
      verdict: 'wrong',
      message: `${new URL(collector.url).host} responded ${status} to traces`,
      fix: expect.stringMatching(fix) as string,
    })
    collector.close()
  })

  test('that is not there is wrong', async () => {
    const collector = await openCollector()
    collector.close()
    const found = await check(collector.url)
    expect(
      found.map(({ verdict, message }) => [verdict, message.includes('ECONNREFUSED')]),
    ).toEqual([
      ['wrong', true],
      ['wrong', true],
    ])
  })
})
