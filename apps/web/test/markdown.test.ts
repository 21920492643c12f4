import type { ComponentChildren, VNode } from 'preact'
import { expect, test } from 'vitest'
import { Markdown } from '../src/chat/markdown.tsx'

type Element = VNode<Readonly<Record<string, unknown>>>

/** The elements of a text, outermost first. */
function elements(text: string): readonly Element[] {
  return flatten(Markdown({ text }))
}

function flatten(node: ComponentChildren): readonly Element[] {
  if (Array.isArray(node)) return node.flatMap(flatten)
  if (typeof node !== 'object' || node === null) return []
  const element = node as Element
  return [element, ...flatten(element.props['children'])]
}

/** What a reader sees. */
function shownText(node: ComponentChildren): string {
  if (Array.isArray(node)) return node.map(shownText).join('')
  if (typeof node === 'string' || typeof node === 'number') return String(node)
  if (typeof node !== 'object' || node === null) return ''
  return shownText((node as Element).props['children'])
}

const harmless = new Set(
  'div p h3 h4 h5 h6 strong em del code pre a br hr ul ol li blockquote table thead tbody tr th td'.split(
    ' ',
  ),
)

test.each([
  '<script>alert(1)</script>',
  'text <img src=x onerror=alert(1)> text',
  '<svg/onload=alert(1)>',
  '<details open ontoggle=alert(1)>x</details>',
  '![pixel](https://tracker.example/p.png)',
  '[click](javascript:alert(1))',
  '[click](JaVaScRiPt:alert(1))',
  '[click](data:text/html,<script>alert(1)</script>)',
  '<javascript:alert(1)>',
  '[click](//evil.example "x")',
  '| a |\n|---|\n| <iframe src=x></iframe> |',
  '> <style>body{display:none}</style>',
  '- <b onclick=x>b</b>\n- [ ] <input autofocus onfocus=alert(1)>',
  '`<script>`\n\n```html\n<script>alert(1)</script>\n```',
])('hostile text becomes harmless elements: %s', (text) => {
  for (const { type, props } of elements(text)) {
    expect(harmless).toContain(type)
    const { children: _, ...attributes } = props
    const allowed = ['class', 'dir', 'tabIndex', 'start', 'scope', 'href', 'target', 'rel', 'title']
    expect(allowed).toEqual(expect.arrayContaining(Object.keys(attributes)))
    if ('href' in attributes) expect(attributes['href']).toMatch(/^https?:\/\//)
  }
})

test('markup in a text is shown as it was written', () => {
  expect(shownText(Markdown({ text: 'Use <b>bold</b> & <script>x</script>' }))).toBe(
    'Use <b>bold</b> & <script>x</script>',
  )
})

test('formatting becomes elements', () => {
  const types = elements(
    '# Title\n\n**bold** and `code`\n\n- one\n- two\n\n| a |\n|---|\n| 1 |',
  ).map(({ type }) => type)
  expect(types).toEqual(
    expect.arrayContaining(['h3', 'strong', 'code', 'ul', 'li', 'table', 'th', 'td']),
  )
})

test('each block of an answer has the direction of its own script', () => {
  const blocks = elements('# שלום\n\nمرحبا\n\n- سلام\n\nHello\n\n| a |\n|---|\n| سلام |').filter(
    ({ props }) => props['dir'] === 'auto',
  )
  expect(blocks.map(({ type }) => type)).toEqual(['h3', 'p', 'ul', 'p', 'table'])
})

test('a list with spaced items, or a quotation, has the direction of the paragraphs inside', () => {
  const parts = elements('- سلام\n\n- سلام\n\n> سلام').filter(({ type }) => type !== 'div')
  expect(parts.map(({ type, props }) => [type, props['dir']])).toEqual([
    ['ul', 'auto'],
    ...[1, 2].flatMap(() => [
      ['li', undefined],
      ['p', undefined],
    ]),
    ['blockquote', 'auto'],
    ['p', undefined],
  ])
})

test('a line break that is written as markup breaks the line', () => {
  const types = elements('| a |\n|---|\n| one<br>two<br/>three |').map(({ type }) => type)
  expect(types.filter((type) => type === 'br')).toHaveLength(2)
})

test.each([
  ['5 &lt; 6 &amp;&amp; 7 &#62; 6', '5 < 6 && 7 > 6'],
  ['**a&nbsp;b** &#x1F600;', 'a\u00a0b \u{1F600}'],
  ['`&amp;` &constructor; &#0; &#99999999;', '&amp; &constructor; \ufffd &#99999999;'],
])('entities outside of code are shown as their characters: %s', (text, shown) => {
  expect(shownText(Markdown({ text }))).toBe(shown)
})

test('decoded markup stays text', () => {
  const text = '&lt;img src=x onerror=alert(1)&gt;'
  expect(elements(text).map(({ type }) => type)).toEqual(['div', 'p'])
  expect(shownText(Markdown({ text }))).toBe('<img src=x onerror=alert(1)>')
})
