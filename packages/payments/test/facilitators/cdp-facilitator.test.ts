import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto'
import { payerAccount } from '@farebox/devnet'
import { createCdpFacilitator, createChainReader, type Facilitator } from '@farebox/payments/chain'
import type { SignedPayment } from '@farebox/payments/wire'
import { afterEach, expect, test } from 'vitest'
import { contextFor, paymentFor } from '../support/pay.ts'
import { startRecordingServer } from '../support/recording-server.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** Only called to confirm a rejection, which never happens here. */
const chain = createChainReader({ rpcUrl: 'http://127.0.0.1:1' })

async function signed(): Promise<SignedPayment> {
  const { address: to } = payerAccount(1)
  return await paymentFor({ signer: payerAccount(0), to, value: 2_000n }, contextFor(to, 2_000n))
}

const ed = generateKeyPairSync('ed25519')
const jwk = ed.privateKey.export({ format: 'jwk' })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const edSecret = Buffer.concat([
  Buffer.from(jwk.d ?? '', 'base64url'),
  Buffer.from(jwk.x ?? '', 'base64url'),
]).toString('base64')
const sec1 = ec.privateKey.export({ format: 'pem', type: 'sec1' }).toString()
const keys: readonly (readonly [string, string, string, KeyObject])[] = [
  ['an Ed25519 key', edSecret, 'EdDSA', ed.publicKey],
  ['an EC key', sec1, 'ES256', ec.publicKey],
  ['an EC key on one line', sec1.replaceAll('\n', '\\n'), 'ES256', ec.publicKey],
]

test.each(keys)(
  'Coinbase is asked with a token signed by %s for this one path',
  async (_, secret, alg, key) => {
    const { url, requests, close } = await startRecordingServer((_request, response) => {
      const transaction = `0x${'0c'.repeat(32)}`
      response.end(JSON.stringify({ success: true, transaction, network: 'eip155:84532' }))
    })
    ends.push(close)
    const facilitator = createCdpFacilitator({
      apiKeyId: 'organizations/x/apiKeys/y',
      apiKeySecret: secret,
      url: `${url}/platform/v2/x402`,
      chain,
      clock: () => 1_700_000_000_500,
    })
    expect(await facilitator.settle(await signed(), AbortSignal.timeout(60_000))).toMatchObject({
      status: 'settled',
    })
    const [request] = requests
    const [header = '', claims = '', signature = ''] = (request?.authorization ?? '')
      .replace('Bearer ', '')
      .split('.')
    expect(parse(header)).toEqual({
      alg,
      kid: 'organizations/x/apiKeys/y',
      typ: 'JWT',
      nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    expect(parse(claims)).toEqual({
      sub: 'organizations/x/apiKeys/y',
      iss: 'cdp',
      aud: ['cdp_service'],
      uris: [`POST ${new URL(url).host}/platform/v2/x402/settle`],
      iat: 1_700_000_000,
      nbf: 1_700_000_000,
      exp: 1_700_000_120,
    })
    const data = Buffer.from(`${header}.${claims}`)
    const options = {
      key: createPublicKey(key.export({ format: 'pem', type: 'spki' })),
      dsaEncoding: 'ieee-p1363',
    } as const
    const algorithm = alg === 'ES256' ? 'sha256' : null
    expect(verify(algorithm, data, options, Buffer.from(signature, 'base64url'))).toBe(true)
  },
)

const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey
test.each([
  ['nothing', ''],
  ['a short key', 'AAAA'],
  ['a broken PEM', '-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----'],
  ['another curve', p384.export({ format: 'pem', type: 'sec1' }).toString()],
])('Coinbase with %s as secret does not start, and does not repeat it', (_, apiKeySecret) => {
  const create = (): Facilitator => createCdpFacilitator({ apiKeyId: 'id', apiKeySecret, chain })
  expect(create).toThrow(expect.objectContaining({ code: 'invalid_api_key' }))
  expect(create).not.toThrow(/AAAA/)
})

function parse(part: string): unknown {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}
