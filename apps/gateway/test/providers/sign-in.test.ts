import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatRequestSchema } from '@farebox/api'
import { type ProviderName, shippedCatalog } from '@farebox/catalogs'
import { picodollars } from '@farebox/money'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { checkProviders } from '../../src/doctor/check-providers.ts'
import { composeProviders } from '../../src/providers/compose-providers.ts'
import {
  type Asked,
  type CloudServer,
  hasAwsSignature,
  openCloudServer,
  signedClaims,
} from './cloud-server.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
let folder: string
let server: CloudServer
let google: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-'))
  google = join(folder, 'account.json')
  const account = {
    type: 'service_account',
    client_email: 'farebox@project.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    private_key_id: 'k1',
  }
  // With a byte order mark, as some editors write it.
  await writeFile(google, `\uFEFF${JSON.stringify(account)}`)
  server = await openCloudServer(accepts)
})
afterAll(async () => {
  server.close()
  await rm(folder, { recursive: true, force: true })
})

function accepts(asked: Asked): boolean {
  if (asked.url.startsWith('/azure')) return asked.headers.authorization === 'Bearer entra-token'
  if (asked.url.startsWith('/bedrock')) return hasAwsSignature(asked, 'right')
  return signedClaims(asked, publicKey) !== undefined
}

function configWith(settings: Readonly<Record<string, string>>) {
  const read = readConfig(settings)
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  return read.config
}

const azure = (secret: string) => ({
  AZURE_BASE_URL: `${server.url}/azure/openai`,
  AZURE_API_VERSION: '2024-10-21',
  AZURE_TENANT_ID: 'tenant',
  AZURE_CLIENT_ID: 'client',
  AZURE_CLIENT_SECRET: secret,
  AZURE_AUTHORITY_HOST: `${server.url}/entra`,
})
const bedrock = (secret: string) => ({
  BEDROCK_BASE_URL: `${server.url}/bedrock/openai/v1`,
  BEDROCK_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: secret,
  AWS_SESSION_TOKEN: 'session',
})
const vertex = () => ({
  VERTEX_BASE_URL: `${server.url}/vertex/publishers/google`,
  VERTEX_PROJECT: 'project',
  GOOGLE_APPLICATION_CREDENTIALS: google,
})

/** Calls a provider as often as given, and returns what reached its server. */
async function call(
  provider: ProviderName,
  settings: Readonly<Record<string, string>>,
  times = 1,
): Promise<readonly Asked[]> {
  const [first] = shippedCatalog(Date.now()).chat
  if (first === undefined) throw new Error('the catalog is empty')
  const routed = { ...first, routes: [{ provider, model: 'my model' }] }
  const providers = composeProviders(configWith(settings), undefined)
  const [route] = providers.chatRoutes(routed)
  const before = server.asked.length
  const request = chatRequestSchema.parse({ messages: [{ role: 'user', content: 'hi' }] })
  const rate = picodollars(1n)
  try {
    for (let at = 0; at < times; at += 1) {
      const stream = await route?.provider.open({
        model: routed.id,
        upstreamModel: route.upstreamModel,
        request,
        maxTokens: 16,
        maxPrice: { input: rate, output: rate },
        signal: new AbortController().signal,
      })
      await Array.fromAsync(stream?.events ?? [])
    }
  } finally {
    await providers.close()
  }
  return server.asked.slice(before)
}

test('an application signs in to Azure once, and calls the deployment', async () => {
  const asked = await call('azure', azure('right'), 2)
  const path = '/azure/openai/deployments/my%20model/chat/completions?api-version=2024-10-21'
  expect(asked.map(({ url }) => url)).toEqual(['/entra/tenant/oauth2/v2.0/token', path, path])
  expect(Object.fromEntries(new URLSearchParams(asked[0]?.body))).toEqual({
    grant_type: 'client_credentials',
    client_id: 'client',
    client_secret: 'right',
    scope: 'https://cognitiveservices.azure.com/.default',
  })
  expect(asked[1]?.headers).not.toHaveProperty('api-key')
})

test('without an api-version, the v1 API of Azure is called, with a key if there is one', async () => {
  const settings = { AZURE_BASE_URL: `${server.url}/azure/openai/v1`, AZURE_API_KEY: 'key' }
  await expect(call('azure', settings)).rejects.toMatchObject({ status: 401 })
  expect(server.asked.at(-1)).toMatchObject({
    url: '/azure/openai/v1/chat/completions',
    headers: { 'api-key': 'key' },
  })
})

test('an application that cannot sign in calls nothing', async () => {
  const before = server.asked.length
  await expect(call('azure', azure('wrong'))).rejects.toMatchObject({
    code: 'upstream_unavailable',
    executed: 'no',
  })
  expect(server.asked.slice(before).every(({ url }) => url.startsWith('/entra/'))).toBe(true)
})

test('requests to Bedrock are signed with their body, and a wrong secret is rejected', async () => {
  const [asked] = await call('bedrock', bedrock('right'))
  expect(asked).toMatchObject({
    url: '/bedrock/openai/v1/chat/completions',
    headers: {
      authorization: expect.stringContaining('/eu-central-1/bedrock/aws4_request'),
      'x-amz-security-token': 'session',
    },
  })
  if (asked === undefined) throw new Error('nothing was asked')
  expect(hasAwsSignature({ ...asked, body: `${asked.body} ` }, 'right')).toBe(false)
  await expect(call('bedrock', bedrock('wrong'))).rejects.toMatchObject({ status: 401 })
})

test('a service account signs its own tokens for Vertex', async () => {
  const [asked] = await call('vertex', vertex())
  expect(asked?.url).toBe(
    '/vertex/publishers/google/models/my%20model:streamGenerateContent?alt=sse',
  )
  expect(asked && signedClaims(asked, publicKey)).toMatchObject({
    iss: 'farebox@project.iam.gserviceaccount.com',
    scope: 'https://www.googleapis.com/auth/cloud-platform',
  })
})

test('the doctor lists the models with each of them', async () => {
  const findings = await checkProviders(
    configWith({ ...azure('right'), ...bedrock('right'), ...vertex() }),
  )
  expect(findings).toEqual([
    { verdict: 'ok', subject: 'azure', message: 'accepts AZURE_CLIENT_ID' },
    { verdict: 'ok', subject: 'bedrock', message: 'accepts AWS_ACCESS_KEY_ID' },
    { verdict: 'ok', subject: 'vertex', message: 'accepts GOOGLE_APPLICATION_CREDENTIALS' },
  ])
  const wrong = await checkProviders(configWith({ ...azure('wrong'), ...bedrock('wrong') }))
  expect(wrong).toMatchObject([
    { verdict: 'wrong', message: 'Microsoft Entra rejects AZURE_CLIENT_ID (HTTP 401)' },
    { verdict: 'wrong', message: 'rejects AWS_ACCESS_KEY_ID (HTTP 401)' },
  ])
})

test.each([
  [{ AZURE_TENANT_ID: 't' }, ['AZURE_CLIENT_ID', 'AZURE_CLIENT_SECRET']],
  [{ BEDROCK_REGION: 'eu-central-1' }, ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']],
])('%j alone is a mistake that names what is missing', (settings, missing) => {
  const read = readConfig(settings)
  const problems = read.status === 'invalid' ? read.problems : []
  expect(problems).toEqual(
    missing.map((name) => expect.stringMatching(new RegExp(`^${name} is required with`))),
  )
})
