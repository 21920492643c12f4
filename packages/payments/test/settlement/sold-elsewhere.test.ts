import { createPaymentId, type Hex } from '@farebox/ledger'
import type { ChainReader } from '@farebox/payments/chain'
import { concat } from 'viem'
import { expect, test } from 'vitest'
import { transferCall } from '../../src/calls/transfer-call.ts'
import type { ChainTransaction } from '../../src/chain/chain.ts'
import { saleMark } from '../../src/settlement/sale-mark.ts'
import { readSettlement } from '../../src/settlement/settlement-verdict.ts'
import { claimedSale as sale } from '../support/claimed-sale.ts'

const relayer: Hex = `0x${'e'.repeat(40)}`
const stranger: Hex = `0x${'d'.repeat(40)}`
const transaction: Hex = `0x${'1'.repeat(64)}`
const own = saleMark(sale.id)
const other = saleMark(createPaymentId(1, new Uint8Array(10)))
const proof = { transaction, block: sale.intentBlock + 1, blockHash: '0x2', logIndex: 0 } as const

function sentBy(from: Hex, mark: Hex): ChainTransaction {
  const call = transferCall({ ...sale.authorization, signature: `0x${'c'.repeat(128)}1b` })
  return { from, data: concat([call.data, mark]) }
}

/** The verdict on a transfer that this transaction made, and which transactions were read. */
async function judge(
  found: ChainTransaction | null,
  how: { readonly relayer?: Hex; readonly sent?: Hex | null } = { relayer },
) {
  const read: Hex[] = []
  const { to, value } = sale.authorization
  const chain: Pick<ChainReader, 'authorizationUse' | 'transactionOf'> = {
    authorizationUse: async () => ({ status: 'transferred', to, value, proof }),
    transactionOf: async (hash) => {
      read.push(hash)
      return found
    },
  }
  const verdict = await readSettlement(chain as ChainReader, sale, {
    voidMarginSeconds: 5,
    ...how,
  })
  return { verdict, read }
}

const proven = { status: 'proven', proof }
const soldElsewhere = { status: 'rejected', reason: 'sold_by_another_ledger' }

test.each([
  ['of the relayer with its own mark proves it', sentBy(relayer, own), proven],
  ['of the relayer without a mark proves it', sentBy(relayer, '0x'), proven],
  [
    'of the relayer with the mark of another sale rejects it',
    sentBy(relayer, other),
    soldElsewhere,
  ],
  ['of a stranger with the mark of another sale proves it', sentBy(stranger, other), proven],
  ['that the node does not know proves it', null, proven],
] as const)('a transaction %s', async (_, found, verdict) => {
  expect(await judge(found)).toEqual({ verdict, read: [transaction] })
})

test('the case of the relayer does not matter', async () => {
  const upperCased: Hex = `0x${relayer.slice(2).toUpperCase()}`
  const { verdict } = await judge(sentBy(relayer, other), { relayer: upperCased })
  expect(verdict).toEqual(soldElsewhere)
})

test.each([
  ['was sent for this payment', { relayer, sent: transaction }],
  ['no relayer of ours can have sent', {}],
])('a transaction that %s is not read', async (_, how) => {
  expect(await judge(sentBy(relayer, other), how)).toEqual({ verdict: proven, read: [] })
})

test('a transaction is read if another one was sent for this payment', async () => {
  const sent: Hex = `0x${'2'.repeat(64)}`
  const { verdict } = await judge(sentBy(relayer, other), { relayer, sent })
  expect(verdict).toEqual(soldElsewhere)
})
