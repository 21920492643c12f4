import { closeServer, createBodyBudget } from '@farebox/http'
import type { PaymentGate } from '@farebox/payments'
import { expect, test } from 'vitest'
import { createOpenRequests } from '../../src/paid/open-requests.ts'
import { drainWithin } from '../../src/routes/drain-within.ts'
import { openRoute, payment, unexpected } from './open-route.ts'

/** More than the buffers of a connection hold: most of it waits until the client reads. */
const body = new Uint8Array(16_000_000)
const budget = createBodyBudget(1_000_000, { maxBytes: 40_000_000, inUseBytes: 40_000_000 })
const late = 60_000

/** A route that answers with a large response, and the requests that a shutdown waits for. */
async function openLarge(work: () => Promise<unknown> = () => Promise.resolve()) {
  const openRequests = createOpenRequests()
  const admit: PaymentGate['admit'] = async () => {
    await work()
    const answer = { statusCode: 200, contentType: 'image/png', body, expiresAt: 0 }
    return { status: 'replayed', payment, answer, headers: {} }
  }
  const route = await openRoute({ gate: { admit }, deps: { budget, openRequests } })
  return { ...route, openRequests }
}

test('a gateway that is shutting down takes no request', async () => {
  const openRequests = createOpenRequests()
  await openRequests.drain()
  const { ask } = await openRoute({ endpoint: { quote: unexpected }, deps: { openRequests } })
  const response = await ask()
  expect(response.status).toBe(503)
  const { error } = await response.json()
  expect(error.code).toBe('shutting_down')
  // An earlier request with the same payment, whose response was lost, may have moved some.
  expect(error.message).toContain('This request moved no money. Repeat it as it is.')
})

test('a server that closes after the drain has sent a response that is read slowly', async () => {
  const { ask, server, openRequests } = await openLarge()
  const response = await ask()
  const closed = drainWithin(openRequests, late).then(() => closeServer(server))
  expect((await response.arrayBuffer()).byteLength).toBe(body.length)
  await closed
})

test('a drain does not wait for a client that left without reading its response', async () => {
  const { ask, openRequests } = await openLarge()
  const response = await ask()
  const drained = drainWithin(openRequests, late)
  await response.body?.cancel()
  expect(await drained).toBeUndefined()
})

test('a drain ends at its limit although a response is not read', async () => {
  const { ask, server, openRequests } = await openLarge()
  const response = await ask()
  await drainWithin(openRequests, 10)
  await closeServer(server)
  await expect(response.arrayBuffer()).rejects.toThrow('terminated')
})

test('beyond its limit, a drain waits for a request that works, and not for its response', async () => {
  const [begun, worked] = [1, 2].map(() => Promise.withResolvers<undefined>())
  const { ask, server, openRequests } = await openLarge(() => {
    begun!.resolve(undefined)
    return worked!.promise
  })
  const asked = ask()
  await begun!.promise
  const abort = (): void => {
    openRequests.abort()
    worked!.resolve(undefined)
  }
  await drainWithin({ ...openRequests, abort }, 10)
  await closeServer(server)
  await expect(asked.then((response) => response.arrayBuffer())).rejects.toThrow('terminated')
})
