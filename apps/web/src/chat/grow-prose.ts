import type { ComponentChildren } from 'preact'
import { hasLinkTarget } from './has-link-target.ts'
import { lexMarkdown } from './lex-markdown.ts'
import { renderToken } from './render-token.tsx'

/** The blocks of a text, which may grow. */
export type Prose = {
  readonly blocks: readonly ComponentChildren[]
  /** The text of the first blocks, which no more text changes. */
  readonly settledText: string
  readonly settledCount: number
}

export const noProse: Prose = { blocks: [], settledText: '', settledCount: 0 }

/**
 * The blocks of a text that continues another one. Those that are settled stay the same elements, which
 * are neither read nor drawn again.
 */
export function growProse(before: Prose, text: string): Prose {
  const whole = text.replace(/\r\n?/g, '\n')
  if (hasLinkTarget(whole)) {
    return { ...noProse, blocks: lexMarkdown(whole).map(renderToken) }
  }
  const { settledText, settledCount } = whole.startsWith(before.settledText) ? before : noProse
  const tokens = lexMarkdown(whole.slice(settledText.length))
  const count = settledOf(tokens)
  const settled = tokens.slice(0, count)
  return {
    blocks: [...before.blocks.slice(0, settledCount), ...tokens.map(renderToken)],
    settledText: settledText + settled.map(({ raw }) => raw).join(''),
    settledCount: settledCount + count,
  }
}

/**
 * How many tokens are settled: those before a blank line that two blocks follow. A list may continue
 * after a blank line, but not after a block of another kind.
 */
function settledOf(tokens: readonly { readonly type: string; readonly raw: string }[]): number {
  const blocks = tokens.flatMap(({ type }, index) => (type === 'space' ? [] : [index]))
  let count = blocks.at(-2) ?? 0
  while (count > 0 && !/\n[ \t]*\n$/.test(tokens[count - 1]?.raw ?? '')) count -= 1
  return count
}
