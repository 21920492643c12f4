import { createPrivateKey, type KeyObject, randomBytes, sign } from 'node:crypto'

export type CdpCredentials = {
  readonly apiKeyId: string
  /** 64 bytes of an Ed25519 key in base64, or an EC key on P-256 as PEM. */
  readonly apiKeySecret: string
}

/** Creates the bearer token of one request to Coinbase's API. `now` is in seconds since 1970. */
export type CdpToken = (request: {
  readonly method: string
  readonly url: URL
  readonly now: number
}) => string

/** Coinbase's API demands a token for one path that is valid for two minutes. */
const validSeconds = 120

/**
 * Signs tokens with an API key: https://docs.cdp.coinbase.com/api-reference/v2/authentication
 *
 * @throws {CdpKeyError} `invalid_api_key` when the secret is neither kind of key.
 */
export function createCdpToken({ apiKeyId, apiKeySecret }: CdpCredentials): CdpToken {
  const key = readCdpKey(apiKeySecret)
  if (key === undefined) throw new CdpKeyError()
  const alg = key.asymmetricKeyType === 'ec' ? 'ES256' : 'EdDSA'

  return function cdpToken({ method, url, now }) {
    const header = { alg, kid: apiKeyId, typ: 'JWT', nonce: randomBytes(16).toString('hex') }
    const claims = {
      sub: apiKeyId,
      iss: 'cdp',
      aud: ['cdp_service'],
      uris: [`${method} ${url.host}${url.pathname}`],
      iat: now,
      nbf: now,
      exp: now + validSeconds,
    }
    const content = `${encode(header)}.${encode(claims)}`
    return `${content}.${signatureOf(content, key)}`
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function signatureOf(content: string, key: KeyObject): string {
  const data = Buffer.from(content)
  const signature =
    key.asymmetricKeyType === 'ec'
      ? sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' })
      : sign(null, data, key)
  return signature.toString('base64url')
}

/** The private key of an API key of Coinbase; undefined if the secret is neither kind of key. */
function readCdpKey(secret: string): KeyObject | undefined {
  try {
    return secret.includes('-----BEGIN') ? readPem(secret) : readEd25519(secret)
  } catch {
    return undefined
  }
}

/** Whether a text is the secret of an API key: an Ed25519 key in base64, or a P-256 key as PEM. */
export function isCdpKeySecret(secret: string): boolean {
  return readCdpKey(secret) !== undefined
}

/** Environment variables often hold the line breaks of a PEM as two characters. */
function readPem(secret: string): KeyObject | undefined {
  const key = createPrivateKey(secret.replaceAll('\\n', '\n'))
  return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
}

function readEd25519(secret: string): KeyObject | undefined {
  const bytes = Buffer.from(secret, 'base64')
  if (bytes.length !== 64) return undefined
  return createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'OKP',
      crv: 'Ed25519',
      d: bytes.subarray(0, 32).toString('base64url'),
      x: bytes.subarray(32).toString('base64url'),
    },
  })
}

/** The secret is not an API key. Its text is never repeated. */
export class CdpKeyError extends Error {
  override readonly name = 'CdpKeyError'
  readonly code = 'invalid_api_key'
  constructor() {
    super('the API key secret is neither an Ed25519 key in base64 nor a P-256 key as PEM')
  }
}
