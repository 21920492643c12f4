import type { OnCorruptRow } from '@farebox/ledger'
import { type Html, html } from './html.ts'

/** The reasons why rows of the ledger cannot be read. */
export type Unread = readonly string[]

export function noteIn(unread: string[]): OnCorruptRow {
  return ({ message }) => {
    unread.push(message)
  }
}

const maxNamed = 3

/** What a list leaves out, and what to do about it. */
export function unreadNotice(unread: Unread): Html | false {
  if (unread.length === 0) return false
  const [count, it] = unread.length === 1 ? ['1 row', 'it'] : [`${unread.length} rows`, 'them']
  const more = unread.length > maxNamed ? '; …' : ''
  const named = unread.slice(0, maxNamed).join('; ') + more
  return html`<p class="notice" role="alert">${count} of the ledger cannot be read, and this page leaves ${it} out: ${named}. Run audit, and correct ${it} from a copy of the ledger.</p>`
}
