import { Lexer, Marked, type MarkedToken, Tokenizer, type TokenizerExtensionFunction } from 'marked'
import { hasLinkTarget } from './has-link-target.ts'

const environment = /\\begin\{(\w+\*?)\}[\s\S]{1,500}?\\end\{\1\}/.source
/** Money has a digit after its second sign, or a space before it: `$5 and $10`. */
const dollars = /\$(?![\s$])(?:[^$\\\n`]|\\.){1,500}?(?<!\s)\$(?!\d)/.source
const within = /\\\([\s\S]{1,500}?\\\)|\\\[[\s\S]{1,500}?\\\]|\$\$[^$]{1,500}?\$\$/.source

/** Formulas within a line. Their lengths are limited, since a model may open many that it never closes. */
const formula = new RegExp(`${within}|${environment}|${dollars}`)
const formulas = new RegExp(formula, 'g')
const formulaHere = new RegExp(`^(?:${formula.source})`)

const maxDisplay = 2_000
/** A formula of whole lines. A blank line ends it, as in LaTeX. */
const display =
  / {0,3}(?:\$\$(?:(?!\n[ \t]*\n)[^$])+\$\$|\\\[(?:(?!\n[ \t]*\n)[\s\S])+?\\\]|\\begin\{(\w+\*?)\}(?:(?!\n[ \t]*\n)[\s\S])+?\\end\{\1\})[ \t]*(?:\n+|$)/
const displayHere = new RegExp(`^${display.source}`)
const displayNext = new RegExp(`\\n${display.source}`)

const marked = new Marked({
  extensions: [
    {
      name: 'display',
      level: 'block',
      start: (source) => {
        const start = source.slice(0, maxDisplay).search(displayNext)
        return start === -1 ? undefined : start + 1
      },
      tokenizer: tokenOf('display', displayHere),
    },
    {
      name: 'formula',
      level: 'inline',
      start: (source) => {
        const start = source.search(/\\[([b]|\$/)
        return start === -1 ? undefined : start
      },
      tokenizer: tokenOf('formula', formulaHere),
    },
  ],
  // A star or an underscore within a formula does not end emphasis around it.
  hooks: { emStrongMask: (source) => source.replace(formulas, (text) => 'a'.repeat(text.length)) },
})

/** A token of Markdown, or a formula in LaTeX: of whole lines, or within one. */
export type MarkdownToken =
  | MarkedToken
  | { readonly type: 'display' | 'formula'; readonly raw: string }

function tokenOf(type: string, pattern: RegExp): TokenizerExtensionFunction {
  return (source) => {
    const raw = pattern.exec(source.slice(0, maxDisplay))?.[0]
    return raw === undefined ? undefined : { type, raw }
  }
}

/**
 * The tokens of Markdown. Formulas are separate tokens, since Markdown reads `\(` as `(`, and may read
 * `a_1 b_1` as emphasis.
 */
export function lexMarkdown(text: string): readonly MarkdownToken[] {
  const tokenizer = new Tokenizer()
  const lexer = new Lexer({ ...marked.defaults, tokenizer })
  if (!hasLinkTarget(text)) {
    const { rules } = tokenizer
    tokenizer.rules = { ...rules, inline: { ...rules.inline, reflinkSearch: nothing } }
  }
  return lexer.lex(text) as MarkdownToken[]
}

/** Names of links are not searched for where none has an address: each bracket would cost a search. */
const nothing = /(?!)/g
