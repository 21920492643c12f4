import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { refusedPayments } from '../../src/endpoints/refused-payments.ts'

const repository = join(import.meta.dirname, '../../../..')
const sources = join(repository, 'packages/payments/src')

/** Reasons that no 402 shows: they are of unknown outcomes, of a 503, or of an event. */
const ofOtherAnswers: ReadonlySet<string> = new Set([
  'balance_in_use',
  'invalid_batch_settlement_evm_deposit_transaction_failed',
  'invalid_exact_evm_nonce_already_used',
  'invalid_exact_evm_transaction_failed',
  'invalid_exact_evm_transfer_event_mismatch',
  'payer_asked',
  'wallets_in_flight',
])

const table = refusedPayments.slice(refusedPayments.indexOf('| reason'))

const documented: ReadonlySet<string> = new Set(
  table
    .split('\n')
    .slice(2)
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)])
    .map(([, reason = '']) => reason),
)

/** The sources of some folders or files of @farebox/payments as one text. */
function readSources(places: readonly string[]): string {
  return globSync('**/*.ts', { cwd: sources })
    .filter((path) => places.some((place) => path.startsWith(place)))
    .map((path) => readFileSync(join(sources, path), 'utf8'))
    .join('\n')
    .replaceAll('$' + '{scheme}', 'invalid_batch_settlement_evm')
}

function find(pattern: RegExp, text: string): readonly string[] {
  return [...text.matchAll(pattern)].map(([, reason = '']) => reason)
}

test('every reason with which the sources refuse a payment is documented', () => {
  const refusing = readSources([
    'gate/',
    'channel-gate/',
    'channel-endpoint/',
    'settlement/settlement-verdict',
  ])
  const codes = find(/['`](invalid_(?:exact|batch_settlement)_evm_\w+)/g, readSources(['']))
  const reasons = find(/(?:reason: |reason \?\? |request, |refusal\(\s*)['`](\w+_\w+)/g, refusing)
  const named = find(
    /(?<=(?:soldElsewhere|ChannelObstacle) = .*)'(\w+)'/g,
    readSources(['settlement/sale-mark', 'events/payment-events']),
  )
  expect([...new Set(codes)].length).toBeGreaterThan(30)
  expect([...new Set(reasons)].length).toBeGreaterThan(15)
  expect(named).toHaveLength(3)
  const missing = [...codes, ...reasons, ...named].filter(
    (reason) => !documented.has(reason) && !ofOtherAnswers.has(reason) && !reason.endsWith('_evm_'),
  )
  expect(missing).toEqual([])
})

test('every documented reason is in the sources', () => {
  const words = new Set(find(/\b(\w+_\w+)\b/g, readSources([''])))
  const unknown = [...documented].filter(
    // The gate names the scheme of a deposit in the reasons of exact payments.
    (reason) => !words.has(reason) && !words.has(reason.replace('_batch_settlement_', '_exact_')),
  )
  expect(unknown).toEqual([])
})

test('the page of the docs has the same table', () => {
  const page = readFileSync(join(repository, 'docs/refused-payments.md'), 'utf8')
  expect(page).toContain(table)
})
