import { lexer, type MarkedToken, type Token } from 'marked'
import type { ComponentChildren, VNode } from 'preact'
import { decodeEntities } from './decode-entities.ts'

/**
 * Formatted text of a model, which may be hostile. Tokens become elements, never HTML: markup inside
 * is shown as the text it is, images are not loaded, and only web addresses become links. Each block has
 * the direction of its own script.
 */
export function Markdown({ text }: { readonly text: string }): VNode {
  return <div class="prose">{renderAll(lexer(text))}</div>
}

function renderAll(tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token) => render(token as MarkedToken))
}

/** A list or quotation has the direction of its text, paragraphs included, unless they have their own. */
function renderInside(tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token) =>
    token.type === 'paragraph' ? (
      <p>{renderAll(token.tokens ?? [])}</p>
    ) : (
      render(token as MarkedToken)
    ),
  )
}

const headings = ['h3', 'h4', 'h5', 'h6', 'h6', 'h6'] as const

function render(token: MarkedToken): ComponentChildren {
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

function renderInline(token: MarkedToken): ComponentChildren {
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
      // Models break the lines of a table's cells so.
      return /^<br ?\/?>$/i.test(token.text) ? <br /> : token.raw
    case 'link':
      return renderLink(token.href, renderAll(token.tokens))
    case 'escape':
      return token.text
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

function renderList({ ordered, start, items }: MarkedToken & { readonly type: 'list' }): VNode {
  const entries = items.map((item) => <li>{renderInside(item.tokens)}</li>)
  if (!ordered) return <ul dir="auto">{entries}</ul>
  return (
    <ol dir="auto" start={Number(start)}>
      {entries}
    </ol>
  )
}

function renderTable({ header, rows }: MarkedToken & { readonly type: 'table' }): VNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls is reached by keyboard.
    <div class="scroll" tabIndex={0}>
      <table dir="auto">
        <thead>
          <tr>
            {header.map((cell) => (
              <th scope="col">{renderAll(cell.tokens)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map((cell) => (
                <td>{renderAll(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
