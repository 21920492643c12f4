import { expect, test } from 'vitest'
import { addAnnounced } from '../src/pay/add-announced.ts'

const provider = { request: () => Promise.resolve(null) }
const purse = { info: { uuid: '350670db', name: 'Purse' }, provider }
const known = addAnnounced([], purse)

test.each([
  ['its id again', { ...purse, provider: { ...provider } }],
  ['another id', { ...purse, info: { ...purse.info, uuid: '7c9c49a2' } }],
])('a wallet that announces itself twice, the second time with %s, is one wallet', (_, again) => {
  expect(addAnnounced(known, again)).toEqual([{ id: '350670db', name: 'Purse', wallet: provider }])
})

test('a wallet that announces itself later comes after the others', () => {
  const late = { info: { uuid: '7c9c49a2', name: 'Late' }, provider: { ...provider } }
  expect(addAnnounced(known, late).map(({ name }) => name)).toEqual(['Purse', 'Late'])
})

test.each([
  null,
  {},
  { info: null },
  { info: { uuid: '1', name: 'None' } },
  { info: { uuid: '1' }, provider },
])('an announcement that is not complete is left out: %j', (announcement) => {
  expect(addAnnounced(known, announcement)).toBe(known)
})
