import { expect, test } from 'vitest'
import { refusalOf } from '../src/service/call-service.ts'

test.each([
  ['0', 'in 0 seconds'],
  ['1', 'in a second'],
  ['2', 'in 2 seconds'],
  [undefined, 'in 60 seconds'],
])('after a 429 with Retry-After of %s, the next request is possible %s', async (after, text) => {
  const headers = after === undefined ? {} : { 'retry-after': after }
  const refusal = await refusalOf(new Response('', { status: 429, headers }))
  expect(refusal.message).toBe(
    `Too many requests from this address. The next one is possible ${text}.`,
  )
})

test.each([
  [200, 'A server between this page and the service answered with status 200.'],
  [403, 'A server between this page and the service answered with status 403.'],
  [502, 'The service cannot be reached.'],
])('an answer of %i that is not of the service says whose it is', async (status, message) => {
  const answer = new Response('<!doctype html><title>Sign in</title>', { status })
  expect(await refusalOf(answer)).toMatchObject({ message })
})
