import { expect, test } from 'vitest'
import { withinHeap } from '../../../../scripts/testing/within-heap.ts'

test('two million pictures in an earlier answer take little memory', async () => {
  const message = await withinHeap(
    300,
    `import { messagesWire } from './packages/wires/src/index.ts'
    const content = '![picture](data:image/a;base64,)'.repeat(2_000_000)
    const messages = [{ role: 'user', content: 'a' }, { role: 'assistant', content }]
    const { chat } = messagesWire.read({ model: 'a/b', max_tokens: 1, messages })
    console.log(JSON.stringify(chat.messages[1]))`,
  )
  const picture = { type: 'image_url', image_url: { url: 'data:image/a;base64,' } }
  expect(JSON.parse(message)).toEqual({ role: 'assistant', content: '', images: [picture] })
})
