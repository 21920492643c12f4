import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { createGoogleToken } from '../../src/providers/google-token.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('a token server that never responds fails the call, and the next call asks again', async () => {
  const first = Promise.withResolvers<undefined>()
  let asked = 0
  const server = createServer((_, response) => {
    asked += 1
    if (asked === 1) return first.resolve(undefined)
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ access_token: 'second', token_type: 'Bearer', expires_in: 3600 }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const folder = await mkdtemp(join(tmpdir(), 'farebox-'))
  const file = join(folder, 'identity.json')
  await writeFile(join(folder, 'subject'), 'subject-token')
  const identity = {
    type: 'external_account',
    audience:
      '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/a/providers/b',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `http://127.0.0.1:${port}/token`,
    credential_source: { file: join(folder, 'subject') },
  }
  await writeFile(file, JSON.stringify(identity))
  try {
    const token = createGoogleToken(file)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const failed = expect(token()).rejects.toThrow('did not arrive within 10 seconds')
    await first.promise
    vi.advanceTimersByTime(10_000)
    await failed
    vi.useRealTimers()
    expect(await token()).toMatchObject({ authorization: 'Bearer second' })
    expect(asked).toBe(2)
  } finally {
    server.closeAllConnections()
    server.close()
    await rm(folder, { recursive: true, force: true })
  }
})
