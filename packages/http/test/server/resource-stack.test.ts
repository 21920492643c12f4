import { expect, test } from 'vitest'
import { openResources } from '../../src/index.ts'

test('a failure to open closes what was opened, the last first, and is thrown although closing fails too', async () => {
  const failure = new Error('the port is in use')
  const fault = new Error('the ledger cannot be closed')
  const closed: string[] = []
  const faults: unknown[] = []
  const opening = openResources(
    (stack) => {
      stack.adopt('chain', (name) => closed.push(name))
      stack.adopt('ledger', () => {
        throw fault
      })
      stack.adopt('server', (name) => closed.push(name))
      throw failure
    },
    (error) => faults.push(error),
  )
  await expect(opening).rejects.toBe(failure)
  expect(closed).toEqual(['server', 'chain'])
  expect(faults).toMatchObject([{ errors: [fault] }])
})

test('what was opened stays open until its stack is disposed of', async () => {
  const closed: string[] = []
  const { name, stop } = await openResources(
    async (stack) => ({
      name: stack.adopt('server', (opened) => closed.push(opened)),
      stop: stack.disposeAsync,
    }),
    () => undefined,
  )
  expect([name, closed]).toEqual(['server', []])
  await stop()
  await stop()
  expect(closed).toEqual(['server'])
})
