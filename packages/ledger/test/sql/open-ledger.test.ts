import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { newPayment, settled, start } from '../../src/conformance/fixtures.ts'
import { openLedger } from '../../src/sql.ts'
import { sqlitePlace } from './places.ts'

test.each(['', 'ledger.db', 'mysql://localhost/x', 'sqlite:', 'sqlite::memory:'])(
  '%j is no address of a ledger',
  async (url) => {
    await expect(openLedger({ url })).rejects.toMatchObject({ code: 'invalid_url' })
  },
)

test('a server that is not there is unavailable', async () => {
  const opened = openLedger({ url: 'postgres://nobody@127.0.0.1:1/none' })
  await expect(opened).rejects.toMatchObject({ code: 'store_unavailable' })
})

test('a file that is no database is unavailable', async () => {
  const place = await sqlitePlace()
  const file = place.url.replace('sqlite:', '')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, 'this is no database, but long enough to be taken for one at first sight')
  await expect(openLedger({ url: place.url })).rejects.toMatchObject({ code: 'store_unavailable' })
  await place.dispose()
})

test('what was asked before close is done, what is asked after it is refused', async () => {
  const place = await sqlitePlace()
  const store = await place.open()
  const claims = [1, 2, 3].map((number) => store.claim(newPayment(number)))
  await store.close()
  expect((await Promise.all(claims)).map(({ status }) => status)).toEqual(
    claims.map(() => 'claimed'),
  )
  await expect(store.claim(newPayment(4))).rejects.toMatchObject({ code: 'closed' })
  await expect(store.load(newPayment(1).id)).rejects.toMatchObject({ code: 'closed' })
  await store.close()
  await place.dispose()
})

test('what was written is there when the file is opened again', async () => {
  const place = await sqlitePlace()
  const store = await place.open()
  const payment = await settled(store, 1)
  await store.close()
  const reopened = await place.open()
  expect(await reopened.load(payment.id)).toEqual(payment)
  const started = await reopened.apply(payment, { type: 'service_started', at: start })
  expect(started.status).toBe('applied')
  await place.dispose()
})
