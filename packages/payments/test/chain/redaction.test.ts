import type { RequestListener } from 'node:http'
import { inspect } from 'node:util'
import { createChainReader } from '@farebox/payments/chain'
import { afterEach, expect, test } from 'vitest'
import { network } from '../support/pay.ts'
import { startRecordingServer } from '../support/recording-server.ts'

const ends: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

const secrets = ['PATHKEY123', 'QUERYKEY456', 'USERKEY789', 'PASSKEY012']
const address = `0x${'12'.repeat(20)}` as const
const nonce = `0x${'34'.repeat(32)}` as const

async function addressOf(listener: RequestListener): Promise<string> {
  const server = await startRecordingServer(listener)
  ends.push(server.close)
  return server.url
}

function withSecrets(url: string): string {
  const [path, query, user, password] = secrets
  return `${url.replace('//', `//${user}:${password}@`)}/v3/${path}?token=${query}`
}

const echo = secrets.join(' ')
const nodes: readonly (readonly [string, RequestListener | null])[] = [
  ['is down', null],
  ['returns a 503 that repeats the key', (_, response) => response.writeHead(503).end(echo)],
  [
    'returns an error that repeats the key',
    (_, response) =>
      response.end(
        JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32000, message: echo } }),
      ),
  ],
  ['returns garbage', (_, response) => response.end(`<html>${echo}`)],
  ['never answers', () => undefined],
]

test.each(nodes)(
  'an error about a node that %s names its host, and no key',
  async (_, listener) => {
    const url = listener === null ? 'http://127.0.0.1:9' : await addressOf(listener)
    const chain = createChainReader({ rpcUrl: withSecrets(url), timeoutMs: 200 })
    const reads = await Promise.allSettled([
      chain.head(),
      chain.gasPrice(),
      chain.balanceOf(network.usdc, address),
      chain.hasCode(address),
      chain.transfersOf({ asset: network.usdc, address, fromBlock: 1, toBlock: 2 }),
      chain.acceptsSignature({ address, digest: nonce, signature: '0x00' }),
      chain.authorizationUse({
        asset: network.usdc,
        from: address,
        nonce,
        fromBlock: 1,
        hint: nonce,
      }),
    ])
    for (const read of reads) {
      if (read.status !== 'rejected') throw new Error('the node does not work')
      const shown = inspect(read.reason, { depth: 20, showHidden: true })
      expect(shown).toContain('chain_unavailable')
      for (const secret of secrets) expect(shown).not.toContain(secret)
      expect(shown).not.toContain('Request body')
      expect(shown).not.toContain('/v3')
    }
  },
)

test('an error about a node that is down names the host and the reason', async () => {
  const chain = createChainReader({ rpcUrl: withSecrets('http://127.0.0.1:9') })
  await expect(chain.gasPrice()).rejects.toThrow(/the request to 127\.0\.0\.1:9 failed: .*/)
})
