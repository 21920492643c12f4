import type { Token, Tokens } from 'marked'
import type { ComponentChildren, VNode } from 'preact'
import { decodeEntities } from './decode-entities.ts'
import type { MarkdownToken } from './lex-markdown.ts'

function renderAll(tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token) => renderToken(token as MarkdownToken))
}

/** A list or quotation has the direction of its text, paragraphs included, unless they have their own. */
function renderInside(tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token) =>
    token.type === 'paragraph' ? (
      <p>{renderAll(token.tokens ?? [])}</p>
    ) : (
      renderToken(token as MarkdownToken)
    ),
  )
}

const headings = ['h3', 'h4', 'h5', 'h6', 'h6', 'h6'] as const

/**
 * A token of a model's text, which may be hostile, as elements, never HTML: markup inside is shown as the
 * text it is, images are not loaded, and only web addresses become links. Each block has the direction of
 * its own script.
 */
export function renderToken(token: MarkdownToken): ComponentChildren {
  switch (token.type) {
    case 'heading': {
      const Heading = headings[token.depth - 1] ?? 'h6'
      return <Heading dir="auto">{renderAll(token.tokens)}</Heading>
    }
    case 'paragraph':
      return <p dir="auto">{renderAll(token.tokens)}</p>
    case 'blockquote':
      return <blockquote dir="auto">{renderInside(token.tokens)}</blockquote>
    case 'list':
      return renderList(token)
    case 'display':
      return (
        <p class="plain" dir="auto">
          {token.raw.trim()}
        </p>
      )
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: code that scrolls is reached by keyboard.
        <pre tabIndex={0}>
          <code>{token.text}</code>
        </pre>
      )
    case 'table':
      return renderTable(token)
    case 'hr':
      return <hr />
    case 'space':
    case 'def':
      return null
    default:
      return renderInline(token)
  }
}

function renderInline(token: MarkdownToken): ComponentChildren {
  switch (token.type) {
    case 'strong':
      return <strong>{renderAll(token.tokens)}</strong>
    case 'em':
      return <em>{renderAll(token.tokens)}</em>
    case 'del':
      return <del>{renderAll(token.tokens)}</del>
    case 'codespan':
      return <code>{token.text}</code>
    case 'br':
      return <br />
    case 'html':
      // Models break lines with it in the cells of a table.
      return /^<br ?\/?>$/i.test(token.text) ? <br /> : token.raw
    case 'link':
      return renderLink(token.href, renderAll(token.tokens))
    case 'escape':
      // A formula that is not complete yet begins with one: `\(`.
      return /[([]/.test(token.text) ? token.raw : token.text
    case 'text':
      return token.tokens === undefined ? decodeEntities(token.text) : renderAll(token.tokens)
    default:
      return token.raw
  }
}

function renderLink(href: string, label: ComponentChildren): ComponentChildren {
  if (!/^https?:\/\//i.test(href)) return label
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
      {label}
    </a>
  )
}

function renderList({ ordered, start, items }: MarkdownToken & { readonly type: 'list' }): VNode {
  const entries = items.map((item) => <li>{renderInside(item.tokens)}</li>)
  if (!ordered) return <ul dir="auto">{entries}</ul>
  return (
    <ol dir="auto" start={Number(start)}>
      {entries}
    </ol>
  )
}

function renderTable({ header, rows }: MarkdownToken & { readonly type: 'table' }): VNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls is reached by keyboard.
    <div class="scroll" dir="auto" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {header.map((cell) => (
              <th scope="col" class={alignOf(cell)}>
                {renderAll(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map((cell) => (
                <td class={alignOf(cell)}>{renderAll(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A cell that states none is aligned to the start, as its script has it. */
function alignOf({ align }: Tokens.TableCell): string | undefined {
  return align === null ? undefined : `align-${align}`
}
