/** One dangerous change of one line, and the tests that must notice it. */
export type Mutant = {
  readonly name: string
  readonly file: string
  readonly search: string
  readonly replace: string
  readonly tests: readonly string[]
  /** Why no test can notice it, if that is known. */
  readonly survivesBecause?: string
}

const settlement = 'packages/payments/src/settlement'
const gate = 'packages/payments/src/gate'
const proofs = ['packages/payments/test/gate/proofs']
const hostile = ['packages/payments/test/gate/hostile']
const outcomes = ['packages/payments/test/gate/gate-outcomes']
const sqlite = ['packages/ledger/test/sql/sqlite-store']
const pricing = ['packages/pricing/test/chat']

/** On the paths of money. Each `search` occurs once in its file. */
export const mutants: readonly Mutant[] = [
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
    name: 'M04: the value of the proof is ignored',
    file: `${settlement}/settlement-verdict.ts`,
    search: 'use.to !== to || use.value !== value',
    replace: 'use.to !== to',
    tests: proofs,
  },
  {
    name: 'the payee of the proof is ignored',
    file: `${settlement}/settlement-verdict.ts`,
    search: 'use.to !== to || use.value !== value',
    replace: 'use.value !== value',
    tests: proofs,
  },
  {
    name: 'a transfer before the claim is served',
    file: `${settlement}/settlement-verdict.ts`,
    search: 'return proof.block <= payment.intentBlock',
    replace: 'return false && proof.block <= payment.intentBlock',
    tests: outcomes,
    survivesBecause: 'the transition of the ledger compares the blocks a second time',
  },
  {
    name: 'a refusal is not written down',
    file: `${gate}/refuse-payer.ts`,
    search: '!refusal.isShort || open.others === 0',
    replace: 'open.others >= 0',
    tests: hostile,
  },
  {
    name: 'refusals of strangers are written down',
    file: `${gate}/refuse-payer.ts`,
    search: '!refusal.isShort || open.others === 0',
    replace: '!refusal.isShort',
    tests: hostile,
  },
  {
    name: 'one refusal more than allowed is written down',
    file: `${gate}/refuse-payer.ts`,
    search: 'open.rejected >= mostRecorded',
    replace: 'open.rejected > mostRecorded',
    tests: hostile,
  },
  {
    name: 'the nonce of a refund forgets the payer',
    file: 'packages/payments/src/refund-plan/refund-nonce.ts',
    search: 'singleTag, BigInt(chainId), asset, from, nonce',
    replace: 'singleTag, BigInt(chainId), asset, asset, nonce',
    tests: ['packages/payments/test/refund-plan'],
  },
  {
    name: 'a batch forgets its sequence',
    file: 'packages/payments/src/refund-plan/refund-nonce.ts',
    search: 'batchedTag, BigInt(chainId), asset, payer, BigInt(sequence)',
    replace: 'batchedTag, BigInt(chainId), asset, payer, BigInt(sequence) * 0n',
    tests: ['packages/payments/test/refund-plan'],
  },
  {
    name: 'a negative cost raises the refund',
    file: 'packages/ledger/src/payment/reconcile.ts',
    search: 'greatest(cost, atomicUsdc(0n))',
    replace: 'cost',
    tests: ['packages/ledger/test/payment/reconcile'],
  },
  {
    name: 'a balance of another payer is summed up',
    file: 'packages/ledger/src/memory/memory-operations.ts',
    search: 'return from === payer.from && asset',
    replace: 'return from !== payer.from && asset',
    tests: ['packages/ledger/test/memory'],
  },
  {
    name: 'a balance that is just enough is too low',
    file: 'packages/ledger/src/memory/memory-operations.ts',
    search: 'balance - record.authorization.value >= heldBy',
    replace: 'balance - record.authorization.value > heldBy',
    tests: ['packages/ledger/test/memory'],
  },
  {
    name: 'the output of one choice is quoted for all',
    file: 'packages/pricing/src/chat/quote-chat.ts',
    search: 'maxOutputTokens * choices',
    replace: 'maxOutputTokens',
    tests: pricing,
  },
  {
    name: 'M13: a proof in a replaced block is believed',
    file: 'packages/payments/src/chain/authorization-search.ts',
    search: 'if (blockHash !== used.blockHash) {',
    replace: "if (blockHash === '0x') {",
    tests: proofs,
  },
  {
    name: 'M15: what was sent before may be answered with a 402',
    file: `${settlement}/settle-payment.ts`,
    search: "payment.status !== 'settling' || outcome.reason",
    replace: 'outcome.reason',
    tests: proofs,
  },
  {
    name: 'a used nonce is a rejection',
    file: `${settlement}/settle-payment.ts`,
    search: "payment.status !== 'settling' || outcome.reason.includes('nonce')",
    replace: "payment.status !== 'settling'",
    tests: proofs,
  },
  {
    name: 'M19: a forged signature finds the payment',
    file: `${gate}/resume-payment.ts`,
    search: 'prior !== undefined && (await isGenuine(ports, signed)) ? prior : undefined',
    replace: '(await isGenuine(ports, signed)) || prior !== undefined ? prior : undefined',
    tests: proofs,
  },
  {
    name: 'M37: resumed although its refund is on the chain',
    file: `${gate}/resume-payment.ts`,
    search: ' || (await refundOnChain(ports, payment)) !== undefined',
    replace: ' || (await refundOnChain(ports, payment)) === 0n',
    tests: proofs,
  },
  {
    name: 'another request is served with the same authorization',
    file: `${gate}/resume-payment.ts`,
    search: 'payment.requestDigest !== presented.request.requestDigest',
    replace: "payment.requestDigest === ''",
    tests: outcomes,
  },
  {
    name: 'a payer without the money is not refused',
    file: `${gate}/check-payer.ts`,
    search: 'balance < authorization.value',
    replace: 'balance < 0n',
    tests: ['packages/payments/test/recovery/calls-at-rest'],
  },
  {
    name: 'a payer may fail once more than allowed',
    file: 'packages/payments/src/policy/payer-budget.ts',
    search: 'latestFirst[allowed - 1]',
    replace: 'latestFirst[allowed]',
    tests: hostile,
  },
  {
    name: 'who returns is still counted as having left',
    file: `${gate}/resume-payment.ts`,
    search: "cause: 'client_left' })",
    replace: "cause: 'settlement_reverted' })",
    tests: hostile,
  },
  {
    name: 'rejected payments are given up before they expire',
    file: 'packages/payments/src/recovery/recover-rejected.ts',
    search: 'if (head.timestamp <= payment.authorization.validBefore + margin) return false',
    replace: 'if (head.timestamp <= margin) return false',
    tests: ['packages/payments/test/recovery/calls-at-rest'],
  },
  {
    name: 'a payer that pays by itself stops sales',
    file: 'packages/payments/src/treasury/unexpected-transfers.ts',
    search: 'sender === lowerHex(relayer)',
    replace: 'sender !== null',
    tests: ['packages/payments/test/treasury'],
  },
  {
    name: 'a refund of another amount is not noticed',
    file: 'packages/payments/src/treasury/unexpected-transfers.ts',
    search: 'refund.amount === value && refund.payer',
    replace: 'refund.payer',
    tests: ['packages/payments/test/treasury'],
  },
  {
    name: 'the minimum charge is not charged',
    file: 'packages/pricing/src/chat/quote-chat.ts',
    search: 'return greatest(terms.minimumCharge, toUsdcCeil(marked, basisPoints))',
    replace: 'return toUsdcCeil(marked, basisPoints)',
    tests: pricing,
  },
  {
    name: 'the quote has no buffer',
    file: 'packages/pricing/src/chat/quote-chat.ts',
    search: 'withBasisPoints(withBasisPoints(upstream, terms.markupBps), terms.bufferBps)',
    replace: 'withBasisPoints(withBasisPoints(upstream, terms.markupBps), 0n as never)',
    tests: pricing,
  },
  {
    name: 'M33: served although another replica serves',
    file: 'apps/gateway/src/paid/paid-route.ts',
    search: "if (begun.status !== 'begun') return respondToAdmission(response, begun, endpoint)",
    replace: "if (begun.status !== 'begun') response.on('close', () => undefined)",
    tests: ['apps/gateway/test/paid/paid-route'],
  },
]
