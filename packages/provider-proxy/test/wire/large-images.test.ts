import { expect, test } from 'vitest'
import { withinHeap } from '../../../../scripts/testing/within-heap.ts'

test('ten million characters of percent signs in an image take little memory', async () => {
  const length = await withinHeap(
    300,
    `import { dataUrlParts } from './packages/provider-proxy/src/wire/message-text.ts'
    console.log(dataUrlParts('data:image/png;base64,' + '%41'.repeat(3_333_332)).data.length)`,
  )
  expect(length).toBe('3333332')
})
