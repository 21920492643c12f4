import fc from 'fast-check'
import type { ComponentChildren, VNode } from 'preact'
import { expect, test } from 'vitest'
import { growProse, noProse, type Prose } from '../src/chat/grow-prose.ts'

/** Elements without what the renderer keeps in them. */
function plain(node: ComponentChildren): unknown {
  if (Array.isArray(node)) return node.map(plain)
  if (typeof node !== 'object' || node === null) return node
  const { type, props } = node as VNode<{ readonly children?: ComponentChildren }>
  return [type, { ...props, children: plain(props.children) }]
}

const paragraph = 'A *fare box* takes `coins`.\n\n'

test('a block of a growing text stays the same element once two blocks follow it', () => {
  const before = growProse(noProse, paragraph.repeat(3))
  const after = growProse(before, `${paragraph.repeat(3)}And`)
  expect(after.blocks[0]).toBe(before.blocks[0])
  expect(after.blocks.at(-1)).not.toBe(before.blocks.at(-1))
})

test('a text that replaces another one has none of its blocks', () => {
  const other = growProse(growProse(noProse, paragraph.repeat(9)), '# Other')
  expect(plain([...other.blocks])).toEqual(plain([...growProse(noProse, '# Other').blocks]))
})

test('a formula whose lines look like other blocks is one block once it is complete', () => {
  const lines = '\\[\na\n# b\n- c\n> d\n'
  const { blocks } = growProse(growProse(noProse, lines), `${lines}\\]`)
  expect(blocks).toHaveLength(1)
})

const pieces = [
  paragraph,
  'A line\n',
  'two words ',
  '\n',
  '\n\n',
  '\r\n\r\n',
  '# Title\n\n',
  '- item\n',
  '- item\n\n',
  '  inside\n\n',
  '    code\n\n',
  '1. first\n\n',
  '```js\n',
  '```\n\n',
  '> quoted\n\n',
  '| a | b |\n|---|---|\n',
  '| 1 | 2 |\n',
  '---\n\n',
  '===\n',
  '<!-- ',
  '-->\n\n',
  '<details>\n',
  '\\[\n',
  '\\]\n\n',
  '$$',
  '**bold',
  '** ',
  '[link]',
  '[link]: https://a.example\n\n',
  '\t',
]

test('a text that grows by any steps has the blocks of the whole', () => {
  const steps = fc.array(fc.tuple(fc.constantFrom(...pieces), fc.nat(5)), { maxLength: 40 })
  fc.assert(
    fc.property(steps, (parts) => {
      let text = ''
      let prose: Prose = noProse
      for (const [piece, cut] of parts) {
        prose = growProse(prose, text + piece.slice(0, cut))
        text += piece
        prose = growProse(prose, text)
      }
      expect(plain([...prose.blocks])).toEqual(plain([...growProse(noProse, text).blocks]))
    }),
    { numRuns: 300 },
  )
})
