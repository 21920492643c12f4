import { expect, test } from 'vitest'
import { pictureSizes } from '../src/sale/picture-sizes.ts'

const models = [
  { id: 'acme/any', pricing: { '512x512': '$0.001', '1024x1024': '$0.002' } },
  { id: 'acme/large', pricing: { '2048x2048': '$0.03' } },
]

test.each([
  ['acme/any', ['512x512', '1024x1024']],
  ['acme/large', ['2048x2048']],
  ['acme/unknown', ['1024x1024']],
])('the playground offers the sizes that %s makes', (id, sizes) => {
  expect(pictureSizes({ status: 'ok', body: { models } }, { model: id, size: undefined })).toEqual(
    sizes,
  )
})

test('the playground offers no size before the list has loaded', () => {
  expect(pictureSizes(undefined, { model: 'acme/any', size: '512x512' })).toEqual([])
})

test('the playground offers the chosen size, or else the usual one, if the list cannot be loaded', () => {
  const refused = { status: 'refused', message: '', retryMs: undefined } as const
  const model = 'acme/any'
  expect(pictureSizes(refused, { model, size: '512x512' })).toEqual(['512x512'])
  expect(pictureSizes(refused, { model, size: undefined })).toEqual(['1024x1024'])
})
