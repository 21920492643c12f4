import { expect, test } from 'vitest'
import { findLooseObject } from '../../src/schema/find-loose-object.ts'

const text = { type: 'string' }
const strict = (properties: object) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const open = { type: 'object', properties: { a: text }, required: ['a'] }

test.each([
  strict({ a: text, b: { type: ['string', 'null'] } }),
  strict({ type: text, properties: strict({ items: text }) }),
  strict({ a: { type: 'array', items: strict({}) }, b: { anyOf: [strict({ c: text }), text] } }),
  { ...strict({ a: { $ref: '#/$defs/b' } }), $defs: { b: strict({}) } },
  { type: 'string', enum: ['a'] },
  true,
])('%j is strict', (schema) => {
  expect(findLooseObject(schema, 'all required')).toBeUndefined()
})

test.each([
  [open, ''],
  [{ ...open, additionalProperties: true }, ''],
  [{ ...open, type: ['object', 'null'] }, ''],
  [strict({ a: open }), '.properties.a'],
  [strict({ a: { type: 'array', items: open } }), '.properties.a.items'],
  [strict({ a: { anyOf: [text, open] } }), '.properties.a.anyOf.1'],
  [{ ...strict({}), $defs: { b: open } }, '.$defs.b'],
])('%j is open to other properties at "%s"', (schema, path) => {
  const lack = 'additionalProperties: false'
  expect(findLooseObject(schema, 'any required')).toEqual({ path, lack })
})

test('a property that may be missing is loose only where all are required', () => {
  const schema = { ...strict({ a: text, b: text }), required: ['a'] }
  expect(findLooseObject(schema, 'any required')).toBeUndefined()
  expect(findLooseObject(schema, 'all required')).toEqual({ path: '', lack: '"b" in required' })
})

test('reads each name in required once, however many properties there are', () => {
  let reads = 0
  const properties = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`p${at}`, text]))
  const required = new Proxy([...Array(900).fill('other'), ...Object.keys(properties)], {
    get: (names, key) => {
      reads += 1
      return Reflect.get(names, key)
    },
  })
  expect(findLooseObject({ ...strict(properties), required }, 'all required')).toBeUndefined()
  expect(reads).toBeLessThan(5_000)
})
