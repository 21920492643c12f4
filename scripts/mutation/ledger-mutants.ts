import type { NamedMutant } from './named-mutant.ts'

const sqlite = ['packages/ledger/test/sql/sqlite-store'] as const

export const ledgerMutants: readonly NamedMutant[] = [
  {
    name: 'a cost above what was paid is kept',
    file: 'packages/ledger/src/payment/reconcile.ts',
    search: 'least(paid, greatest(cost, atomicUsdc(0n)))',
    replace: 'greatest(cost, least(paid, atomicUsdc(0n)))',
    tests: ['packages/ledger/test/payment/reconcile'],
  },
  {
    name: 'money that bought nothing is servable',
    file: 'packages/ledger/src/transition/transition.ts',
    search: ' && record.settlement !== null && record.reason === null',
    replace: ' && record.settlement !== null',
    tests: ['packages/ledger/test/transition'],
  },
  {
    name: 'unknown payments hold nothing of a balance',
    file: 'packages/ledger/src/sql/schema/bound-payers.ts',
    search: `"status in ('settling', 'unknown')"`,
    replace: `"status in ('settling')"`,
    tests: sqlite,
  },
  {
    name: 'what is in flight is left out of the sum',
    file: 'packages/ledger/src/sql/queries/payment-queries.ts',
    search: 'coalesce(sum(value), 0) from payment',
    replace: 'coalesce(sum(0), 0) from payment',
    tests: sqlite,
  },
  {
    name: 'payments with entries are deleted',
    file: 'packages/ledger/src/memory/memory-operations.ts',
    search: '      (disk.entries.get(id) ?? []).length === 0 &&\n',
    replace: '',
    tests: ['packages/ledger/test/memory'],
  },
  {
    name: 'a negative cost raises the refund',
    file: 'packages/ledger/src/payment/reconcile.ts',
    search: 'greatest(cost, atomicUsdc(0n))',
    replace: 'cost',
    tests: ['packages/ledger/test/payment/reconcile'],
  },
  {
    name: 'open refunds are not counted',
    file: 'packages/ledger/src/sql/queries/payment-queries.ts',
    search: "status not in ('final', 'written_off')) as others",
    replace: "status in ('written_off')) as others",
    tests: sqlite,
  },
  {
    name: 'a balance of another payer is summed up',
    file: 'packages/ledger/src/memory/memory-payers.ts',
    search: 'return from === payer.from && asset',
    replace: 'return from !== payer.from && asset',
    tests: ['packages/ledger/test/memory'],
  },
  {
    name: 'a balance that is just enough is too low',
    file: 'packages/ledger/src/memory/memory-operations.ts',
    search: 'balance - record.authorization.value < heldBy',
    replace: 'balance - record.authorization.value <= heldBy',
    tests: ['packages/ledger/test/memory'],
  },
  {
    name: 'a turn is taken of a channel that has changed',
    file: 'packages/ledger/src/sql/queries/channel-queries.ts',
    search: 'and version = ',
    replace: 'and 0 < ',
    tests: sqlite,
  },
  {
    name: 'a turn is taken while another call has it',
    file: 'packages/ledger/src/sql/queries/channel-queries.ts',
    search: 'and (turn_until is null or ',
    replace: 'and (true or ',
    tests: sqlite,
  },
  {
    name: 'calls in flight of one payer are not at risk',
    file: 'packages/ledger/src/sql/queries/channel-queries.ts',
    search: ' + reserved end), 0) as bigint) as of_payer',
    replace: ' end), 0) as bigint) as of_payer',
    tests: sqlite,
  },
]
