import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const source = new URL('../../src/log/logger.ts', import.meta.url).href
const program = `
  import { createLogger } from ${JSON.stringify(source)}
  const cause = new Error('connect ECONNREFUSED')
  const err = Object.assign(new Error('PostgreSQL: connect ECONNREFUSED', { cause }), { code: 'down' })
  createLogger('info').warn({ event: 'fault', err })
`

test('an error is logged with its own message, its code, and the stack of its cause', () => {
  const run = spawnSync(process.execPath, ['--input-type=module', '--eval', program])
  expect(JSON.parse(run.stdout.toString())).toMatchObject({
    event: 'fault',
    err: {
      type: 'Error',
      message: 'PostgreSQL: connect ECONNREFUSED',
      code: 'down',
      stack: expect.stringMatching(
        /^Error: PostgreSQL: .*caused by: Error: connect ECONNREFUSED\n/s,
      ),
    },
  })
})
