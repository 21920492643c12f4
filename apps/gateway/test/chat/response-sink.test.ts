import { ServerResponse } from 'node:http'
import type { Response } from 'express'
import { expect, test } from 'vitest'
import { responseSink } from '../../src/chat/response-sink.ts'

test.each([
  [7, 7_000_000],
  [9, undefined],
])('of a stream of %d MB, %s characters are kept for the identical request', (megabytes, kept) => {
  const response = Object.assign(Object.create(ServerResponse.prototype) as Response, {
    write: () => true,
  })
  const { write, written } = responseSink({ response, signal: new AbortController().signal })
  for (let at = 0; at < megabytes; at += 1) write('x'.repeat(1_000_000))
  expect(written()?.length).toBe(kept)
})
