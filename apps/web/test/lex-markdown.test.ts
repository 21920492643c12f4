import { expect, test } from 'vitest'
import { lexMarkdown } from '../src/chat/lex-markdown.ts'

test.each([
  ['before it', '[the box][1] on a tram\n\n[1]: https://a.example'],
  ['after it', '[1]: https://a.example\n\n[the box][1] on a tram'],
  ['in a list', '[the box][1] on a tram\n\n- [1]: https://a.example'],
  ['with a bracket in its name', '[the box][a\\]] on a tram\n\n[a\\]]: https://a.example'],
])('a link is one wherever its address stands: %s', (_, text) => {
  const paragraph = lexMarkdown(text).find(({ type }) => type === 'paragraph')
  expect(paragraph).toMatchObject({ tokens: [{ type: 'link', href: 'https://a.example' }, {}] })
})
