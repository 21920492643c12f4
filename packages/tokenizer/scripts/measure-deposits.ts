/**
 * The input tokens that a deposit covers for everyday requests, beside those that were billed: the
 * README's table. Of the recorded requests of a kind, it shows the one with the median bill. The last
 * column is the upper bound of an earlier version, whose `src` is the argument, or else empty.
 *
 * `node --conditions=farebox-source scripts/measure-deposits.ts [old/packages/tokenizer/src]`
 */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TokenCounter } from '../src/pool/token-counter.ts'
import { type Bill, billsFile, hasBills, isDropped, readBills } from '../test/support/bills.ts'

if (!hasBills) {
  process.stderr.write(`${billsFile.pathname} does not exist\n`)
  process.exit(2)
}

type Kind = { readonly name: string; readonly has: (bill: Bill) => boolean }

const kinds: readonly Kind[] = [
  { name: 'short question', has: ({ kind, request }) => kind === 'plain' && request.in < 60 },
  { name: 'long text', has: ({ kind, request }) => kind === 'plain' && request.in >= 300 },
  { name: 'one tool', has: (bill) => toolsOf(bill) === 1 && !hasCalls(bill) },
  { name: 'three tools or more', has: (bill) => toolsOf(bill) >= 3 },
  { name: 'answer to tool calls', has: (bill) => toolsOf(bill) > 0 && hasCalls(bill) },
  { name: 'response format', has: ({ kind }) => kind === 'format' },
]
const families = ['openai-o200k', 'openai-reasoning', 'claude', 'gemini'] as const

const [earlier] = process.argv.slice(2)
const counter = earlier === undefined ? undefined : await openCounter(earlier)
const bills = readBills().filter((bill) => !isDropped(bill))
for (const { name, has } of kinds) {
  for (const family of families) {
    const rows = bills.filter((bill) => bill.family === family && has(bill))
    const typical = middle(rows)
    if (typical === undefined) continue
    const { request, count } = typical
    const before = counter === undefined ? '' : await boundBy(counter, typical)
    const cells = [name, `\`${request.m}\``, toolsOf(typical), request.in, count.tokens]
    process.stdout.write(`| ${[...cells, count.upperBound, before].join(' | ')} |\n`)
  }
}
await counter?.close()

async function openCounter(source: string): Promise<TokenCounter> {
  const { createTokenCounter } = await import(pathToFileURL(resolve(source, 'node.ts')).href)
  return createTokenCounter()
}

async function boundBy(earlier: TokenCounter, { counter, request }: Bill): Promise<number> {
  const { ms: messages, tools, rf: responseFormat } = request
  const { upperBound } = await earlier.countChat({ counter, messages, tools, responseFormat })
  return upperBound
}

/** The request whose bill is the median. */
function middle(rows: readonly Bill[]): Bill | undefined {
  return rows.toSorted((a, b) => a.request.in - b.request.in)[Math.floor(rows.length / 2)]
}

function toolsOf({ request }: Bill): number {
  return request.tools?.length ?? 0
}

function hasCalls({ request }: Bill): boolean {
  return request.ms.some(({ role }) => role === 'tool')
}
