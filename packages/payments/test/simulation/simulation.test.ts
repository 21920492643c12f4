import { describe, expect, test } from 'vitest'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import type { Sabotage } from './faults.ts'
import { simulate } from './simulate.ts'
import { createSummary } from './summary.ts'

const seeds = proofSize({ quick: 50, all: 500 })
const deepSeeds = proofSize({ quick: 20, all: 100 })
const backupSeeds = proofSize({ quick: 20, all: 100 })
const operatorSeeds = proofSize({ quick: 50, all: 150 })
/** How often each fault and each state at a crash must have come up. */
const leastSeen = proofSize({ quick: 1, all: 5 })

describe('the whole system, simulated', () => {
  test(`${seeds} seeds of crashes, lies, reorganisations and silence: no unit lost, no service twice`, async () => {
    const summary = createSummary()
    for (let seed = 1; seed <= seeds; seed += 1) summary.add(await simulate(seed))
    expect(summary.failures().map(({ seed, violations }) => [seed, violations[0]])).toEqual([])

    // A run that meets no trouble proves nothing: every state was crashed in, every fault was met.
    const seen = summary.counts()
    const statuses = ['settling', 'unknown', 'settled', 'serving', 'completed', 'failed']
    const refunds = ['waiting', 'signed', 'submitted', 'confirmed', 'blocked', 'final']
    const expected = [
      ...[...statuses, 'rejected', 'void'].map((status) => `killed while ${status}`),
      ...refunds.map((status) => `killed while refund ${status}`),
      ...['facilitator lied', 'facilitator failed', 'settlement sent late', 'reorganisations'],
      ...['node silent', 'store down before a write', 'store down after a write'],
      ...['client: cancel', 'client: twin', 'client: execute', 'client: empty'],
      ...['token: pause', 'token: block', 'token: sweep', 'sending a refund failed'],
      ...['notice settlement_lost', 'notice refund_lost', 'notice payment_unsolicited'],
    ]
    expect(expected.filter((what) => (seen.get(what) ?? 0) < leastSeen)).toEqual([])
  }, 120_000)

  test(`${deepSeeds} seeds whose reorganisations undo what was confirmed: the loss is in the books`, async () => {
    const summary = createSummary()
    for (let seed = 1; seed <= deepSeeds; seed += 1) {
      summary.add(await simulate(seed, { undoesConfirmed: true }))
    }
    expect(summary.failures().map(({ seed, violations }) => [seed, violations[0]])).toEqual([])
    expect(summary.counts().get('notice settlement_lost') ?? 0).toBeGreaterThan(deepSeeds / 20)
  }, 60_000)

  test(`${backupSeeds} restored backups from before the refunds: no unit leaves twice`, async () => {
    const summary = createSummary()
    for (let seed = 1; seed <= backupSeeds; seed += 1) {
      summary.add(await simulate(seed, { restoresBackup: true }))
    }
    expect(summary.failures().map(({ seed, violations }) => [seed, violations[0]])).toEqual([])
    expect(summary.counts().get('backups restored')).toBe(backupSeeds)
    expect(summary.counts().get('notice refund_found') ?? 0).toBeGreaterThan(backupSeeds / 2)
  }, 60_000)

  test(`${operatorSeeds} seeds with an operator who gives refunds up and takes them up again: all are paid`, async () => {
    const summary = createSummary()
    for (let seed = 1; seed <= operatorSeeds; seed += 1)
      summary.add(await simulate(seed, { hasOperator: true }))
    expect(summary.failures().map(({ seed, violations }) => [seed, violations[0]])).toEqual([])
    const seen = summary.counts()
    const expected = ['refunds given up', 'refunds tried again', 'refunds taken up again']
    expect(expected.filter((what) => (seen.get(what) ?? 0) < leastSeen)).toEqual([])
    expect(seen.get('notice refund_written_off') ?? 0).toBeGreaterThan(operatorSeeds / 50)
  }, 60_000)

  // Found by chance: a refund transfer on the chain had paid other refunds than the oldest, or one
  // whose settlement seemed too fresh to the restored ledger; the rest would have left twice.
  test.each([20_605, 20_738, 20_807, 20_932])('a restored backup, seed %i', async (seed) => {
    expect((await simulate(seed, { restoresBackup: true })).violations).toEqual([])
  })

  test('a seed gives the same run again', async () => {
    const [first, second, other] = [await simulate(7), await simulate(7), await simulate(8)]
    expect(second).toEqual(first)
    expect(other.digest).not.toBe(first.digest)
  })
})

describe('the simulation notices', () => {
  const planted: readonly Sabotage[] = [
    'refunds do not wait for depth',
    'commits are not durable',
    'leases and compare-and-set let everybody through',
    "the facilitator's word is proof",
    'silence is taken for a refusal',
  ]
  test.each(planted)('%s', async (sabotage) => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const { violations } = await simulate(seed, { sabotage })
      if (violations.length === 0) continue
      expect(violations[0]).toBeTypeOf('string')
      return
    }
    expect.fail('no seed of 100 noticed')
  })
})
