import { expect, test } from 'vitest'
import {
  type AttemptEvent,
  type AttemptState,
  attempt,
  newAttempt,
  timeoutOf,
} from '../../src/call/attempt.ts'
import { UpstreamError } from '../../src/provider/upstream-error.ts'

const chunk = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk' as const,
  created: 1,
  model: 'maker/model',
  choices: [],
}
const role: AttemptEvent = { type: 'chunk', chunk, hasToken: false, weight: 1 }
const token: AttemptEvent = { type: 'chunk', chunk, hasToken: true, weight: 1 }
const finished: AttemptEvent = {
  type: 'finished',
  event: { type: 'finished', finishReasons: [], usage: null, timings: {} },
}
const truncated = new UpstreamError('cut', { code: 'upstream_truncated', provider: 'p' })
const failed: AttemptEvent = { type: 'failed', failure: { error: truncated, retry: null } }
const cause = new Error('ECONNRESET')

function after(...events: readonly AttemptEvent[]): AttemptState {
  return events.reduce(attempt, newAttempt('p', 'abort'))
}

const states = [
  ['waiting', after()],
  ['opened', after(role)],
  ['streaming', after(role, token)],
  ['complete', after(token, finished)],
  ['over', after(token, { type: 'closed' })],
] as const

/** What each event makes of each state above, in their order; a failure is named by its code. */
const table: readonly (readonly [name: string, event: AttemptEvent, outcomes: string])[] = [
  ['a role', role, 'opened opened streaming complete over'],
  ['a token', token, 'streaming streaming streaming complete over'],
  ['the finished event', finished, 'complete complete complete complete over'],
  ['closed', { type: 'closed' }, 'over over over over over'],
  ['failed', failed, 'upstream_truncated upstream_truncated upstream_truncated complete over'],
  ['client disconnected', { type: 'client_disconnected' }, 'aborted aborted aborted complete over'],
  [
    'deadline elapsed',
    { type: 'deadline_elapsed' },
    'upstream_timeout upstream_timeout upstream_timeout over over',
  ],
  [
    'total elapsed',
    { type: 'total_elapsed' },
    'upstream_timeout upstream_timeout upstream_overtime complete over',
  ],
  ['reader too slow', { type: 'reader_too_slow' }, 'aborted aborted aborted complete over'],
  ['stopped', { type: 'stopped' }, 'aborted aborted aborted complete over'],
]

test.each(table)('%s', (_, event, outcomes) => {
  const seen = states.map(([, state]) => {
    const next = attempt(state, event)
    return next.failure?.error.code ?? next.phase
  })
  expect(seen.join(' ')).toBe(outcomes)
})

test('each phase has its timeout, and the tail has its own until the response is complete', () => {
  expect(states.map(([, state]) => timeoutOf(state))).toEqual([
    'firstToken',
    'firstToken',
    'idle',
    'linger',
    null,
  ])
  const tails = states.map(([, state]) => attempt(state, { type: 'finish_reasons_known' }))
  expect(tails.map(timeoutOf)).toEqual(['tail', 'tail', 'tail', 'linger', null])
  expect(tails.map(({ phase }) => phase)).toEqual(states.map(([name]) => name))
})

test('only a request of which no byte was sent is worth a retry', () => {
  const lost = (progress: 'sent' | 'unsent') =>
    attempt(after(), { type: 'connection_failed', cause, progress }).failure
  expect(lost('unsent')).toMatchObject({ retry: { retryAfter: null }, error: { cause } })
  expect(lost('sent')).toMatchObject({ retry: null, error: { code: 'upstream_unavailable' } })
})

test('a provider that keeps billing is drained, and the total timeout then ends the call', () => {
  const draining = attempt(newAttempt('p', 'drain'), { type: 'client_disconnected' })
  expect(draining).toMatchObject({ phase: 'waiting', isDraining: true, failure: null })
  const ended = attempt(draining, { type: 'total_elapsed' })
  expect(ended.failure?.error.code).toBe('aborted')
})
