import type { ComponentChildren, VNode } from 'preact'
import { expect, test } from 'vitest'
import { growProse, noProse } from '../src/chat/grow-prose.ts'

type Element = VNode<Readonly<Record<string, unknown>>>

function blocksOf(text: string): ComponentChildren[] {
  return [...growProse(noProse, text).blocks]
}

/** The elements of a text, outermost first. */
function elements(text: string): readonly Element[] {
  return flatten(blocksOf(text))
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
  expect(blocksOf(text)).not.toEqual([])
  for (const { type, props } of elements(text)) {
    expect(harmless).toContain(type)
    const { children: _, ...attributes } = props
    const allowed = ['class', 'dir', 'tabIndex', 'start', 'scope', 'href', 'target', 'rel', 'title']
    expect(allowed).toEqual(expect.arrayContaining(Object.keys(attributes)))
    if ('href' in attributes) expect(attributes['href']).toMatch(/^https?:\/\//)
  }
})

test('markup in a text is shown as it was written', () => {
  expect(shownText(blocksOf('Use <b>bold</b> & <script>x</script>'))).toBe(
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

test('the cells of a table are aligned as its second line says', () => {
  const cells = elements('| a | b | c | d |\n|---|:--|:-:|--:|\n| 1 | 2 | 3 | 4 |').filter(
    ({ type }) => type === 'th' || type === 'td',
  )
  const row = [undefined, 'align-left', 'align-center', 'align-right']
  expect(cells.map(({ props }) => props['class'])).toEqual([...row, ...row])
})

test('each block of an answer has the direction of its own script', () => {
  const blocks = elements('# שלום\n\nمرحبا\n\n- سلام\n\nHello\n\n| a |\n|---|\n| سلام |').filter(
    ({ props }) => props['dir'] === 'auto',
  )
  expect(blocks.map(({ type }) => type)).toEqual(['h3', 'p', 'ul', 'p', 'div'])
})

test('a list with spaced items, or a quotation, has the direction of the paragraphs inside', () => {
  const parts = elements('- سلام\n\n- سلام\n\n> سلام')
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
  expect(shownText(blocksOf(text))).toBe(shown)
})

test('decoded markup stays text', () => {
  const text = '&lt;img src=x onerror=alert(1)&gt;'
  expect(elements(text).map(({ type }) => type)).toEqual(['p'])
  expect(shownText(blocksOf(text))).toBe('<img src=x onerror=alert(1)>')
})

test.each([
  ['Take \\(x^2\\) and \\[\\frac{a}{b}\\].', 'Take \\(x^2\\) and \\[\\frac{a}{b}\\].'],
  ['$$\\{a_1, b_1\\} \\\\ *c*$$', '$$\\{a_1, b_1\\} \\\\ *c*$$'],
  ['where $a_i*b_i$ and $c*d$', 'where $a_i*b_i$ and $c*d$'],
  ['\\[\na\n- b\n\\]', '\\[\na\n- b\n\\]'],
  ['So:\n\\[\na\n- b\n\\]', 'So:\\[\na\n- b\n\\]'],
  [
    '\\begin{align}\na &= b \\\\\n+ c\n\\end{align}',
    '\\begin{align}\na &= b \\\\\n+ c\n\\end{align}',
  ],
  ['- one:\n\n  $$x_1 * y_1$$', 'one:$$x_1 * y_1$$'],
  ['| \\(a_1\\) |\n|---|\n| $b*c*d$ |', '\\(a_1\\)$b*c*d$'],
  ['not complete: \\(x^2', 'not complete: \\(x^2'],
])('a formula is shown as the model wrote it: %s', (text, shown) => {
  expect(shownText(blocksOf(text))).toBe(shown)
})

test('emphasis around a formula is kept', () => {
  const [, strong] = elements('**where $a*b$ holds**')
  expect([strong?.type, shownText(strong)]).toEqual(['strong', 'where $a*b$ holds'])
})

test.each([
  ['It costs $5, *not* $10.', 'It costs $5, not $10.'],
  ['A star \\* and \\_ are escaped.', 'A star * and _ are escaped.'],
  ['\\[ opened\n\n*and* never \\( closed', '\\[ openedand never \\( closed'],
])('what is not a formula stays formatted: %s', (text, shown) => {
  expect(shownText(blocksOf(text))).toBe(shown)
})
