import { claimedRecord } from '@farebox/ledger/store'
import { atomicUsdc } from '@farebox/money'
import type { PaymentNotice } from '@farebox/payments'
import { expect, test } from 'vitest'
import { stopWithoutGas } from '../../src/chain/stop-without-gas.ts'
import { newSale } from '../support/new-sale.ts'

const payment = claimedRecord(newSale())
const noGas = { type: 'payment_unknown', payment, reason: 'no_gas' } as const
const low = { type: 'relayer_low', balance: 1n, minimum: 2n } as const

function read(relayer: bigint): PaymentNotice {
  return { type: 'balances_read', treasury: atomicUsdc(1n), relayer }
}

/** What is reported in addition to the notices. */
function added(notices: readonly PaymentNotice[]): readonly string[] {
  const passed: PaymentNotice[] = []
  const observe = stopWithoutGas((notice) => passed.push(notice))
  for (const notice of notices) observe(notice)
  return passed.filter((notice) => !notices.includes(notice)).map(({ type }) => type)
}

test('sales stop once for a relayer without gas, until it holds more', () => {
  expect(added([read(1n), low, noGas, noGas, read(1n), low])).toEqual(['sales_stopped'])
  expect(added([read(1n), low, noGas, read(2n), low])).toEqual(['sales_stopped', 'sales_resumed'])
})

test('sales resume when a transaction was paid for, or when the relayer was not low', () => {
  const paid: PaymentNotice = {
    type: 'gas_paid',
    paid: {
      chainId: 84_532,
      sender: `0x${'1'.repeat(40)}`,
      nonce: 0,
      transaction: `0x${'1'.repeat(64)}`,
      purpose: 'settlement',
      succeeded: true,
      fee: 1n,
      gas: 1n,
      at: 0,
    },
  }
  expect(added([read(1n), low, noGas, paid])).toEqual(['sales_stopped', 'sales_resumed'])
  expect(added([read(9n), noGas, read(9n)])).toEqual(['sales_stopped', 'sales_resumed'])
})

test('a payment that is unknown for another reason stops nothing', () => {
  expect(added([{ ...noGas, reason: 'rpc_down' }])).toEqual([])
})
