import {
  type Hex,
  type PaymentSearch,
  type PaymentStatus,
  parsePaymentId,
  paymentStatuses,
} from '@farebox/ledger'

/** The fields of the search form, as typed. */
export type SearchForm = {
  readonly q: string
  readonly model: string
  readonly status: string
  readonly from: string
  readonly to: string
  readonly after: string
}

/** A parsed form: one payment, one transaction, a list, or its first problem. */
export type ParsedSearch =
  | { readonly type: 'payment'; readonly id: string }
  | { readonly type: 'hash'; readonly hash: Hex }
  | { readonly type: 'list'; readonly search: PaymentSearch }
  | { readonly type: 'invalid'; readonly problem: string }

export const pageSize = 50
export const wrongPage = 'after: is not the end of a page. Start from the first page.'
const dayMs = 86_400_000

/** What is wrong with the fields of a query string: one that is left out would show too much. */
export function queryProblem(
  query: Readonly<Record<string, unknown>>,
  known: readonly string[],
): string | undefined {
  for (const [name, value] of Object.entries(query)) {
    if (!known.includes(name)) return `${name} is not a field. Use ${known.join(', ')}.`
    if (typeof value !== 'string') return `${name} is given more than once.`
  }
  return undefined
}

export const searchFields: readonly string[] = ['q', 'model', 'status', 'from', 'to', 'after']

/** The fields of a query string. */
export function searchForm(query: Readonly<Record<string, unknown>>): SearchForm {
  const text = (name: string): string => {
    const value = query[name]
    return typeof value === 'string' ? value.trim() : ''
  }
  return {
    q: text('q'),
    model: text('model'),
    status: text('status'),
    from: text('from'),
    to: text('to'),
    after: text('after'),
  }
}

/** Parses the form; `now` is the time in milliseconds since 1970. */
export function parseSearch(form: SearchForm, now: number): ParsedSearch {
  const { q } = form
  const id = parsePaymentId(q.toLowerCase())
  if (id !== undefined) return { type: 'payment', id }
  if (/^0x[0-9a-f]{64}$/i.test(q)) return { type: 'hash', hash: hexOf(q) }
  const from = dayOf(form.from)
  const to = dayOf(form.to)
  const status = statusOf(form.status)
  const after = cursorOf(form.after)
  if (q !== '' && !/^0x[0-9a-f]{40}$/i.test(q)) {
    return invalid('Find: enter a payment id (pay_…), a payer’s address or a transaction (0x…).')
  }
  if (from === null) return invalid('From: enter a day as 2026-11-22.')
  if (to === null) return invalid('To: enter a day as 2026-11-22.')
  if (status === null) return invalid(`Status: choose one of ${paymentStatuses.join(', ')}.`)
  if (after === null) return invalid(wrongPage)
  return {
    type: 'list',
    search: {
      from: from ?? 0,
      to: (to ?? now) + dayMs,
      payer: q === '' ? undefined : hexOf(q),
      model: form.model === '' ? undefined : form.model,
      status,
      after,
      limit: pageSize,
    },
  }
}

function invalid(problem: string): ParsedSearch {
  return { type: 'invalid', problem }
}

function hexOf(text: string): Hex {
  return `0x${text.slice(2).toLowerCase()}`
}

function dayOf(text: string): number | undefined | null {
  if (text === '') return undefined
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return Number.isNaN(day) ? null : day
}

function statusOf(text: string): PaymentStatus | undefined | null {
  return text === '' ? undefined : (paymentStatuses.find((status) => status === text) ?? null)
}

function cursorOf(text: string): PaymentSearch['after'] | null {
  if (text === '') return undefined
  const [time = '', name = ''] = text.split('.')
  const id = parsePaymentId(name)
  return id === undefined || !/^\d{1,15}$/.test(time) ? null : { createdAt: Number(time), id }
}

/** The text of a cursor in a link. */
export function cursorText({ createdAt, id }: NonNullable<PaymentSearch['after']>): string {
  return `${createdAt}.${id}`
}
