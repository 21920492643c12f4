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
  expect(pictureSizes(models, id)).toEqual(sizes)
})
