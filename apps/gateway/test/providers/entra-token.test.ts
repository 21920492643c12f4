import { afterEach, expect, test, vi } from 'vitest'
import { createEntraToken } from '../../src/providers/entra-token.ts'
import { openCloudServer } from './cloud-server.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('calls in parallel share the request for the next token', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const server = await openCloudServer(() => true)
  const token = createEntraToken({
    authorityHost: `${server.url}/entra`,
    tenantId: 'tenant',
    clientId: 'client',
    clientSecret: 'right',
  })
  const calls = () => Promise.all([token(), token(), token()])
  try {
    expect(await calls()).toEqual(Array(3).fill('entra-token'))
    vi.setSystemTime(Date.now() + 3_600_000)
    expect(await calls()).toEqual(Array(3).fill('entra-token'))
    expect(server.asked).toHaveLength(2)
  } finally {
    server.close()
  }
})
