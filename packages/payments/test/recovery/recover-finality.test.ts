import type { PaymentRecord } from '@farebox/ledger'
import { defaultPaymentPolicy } from '@farebox/payments'
import { expect, test } from 'vitest'
import { recoverFinality } from '../../src/recovery/recover-finality.ts'
import type { RecoveryPorts } from '../../src/recovery/recovery-ports.ts'
import { claimedSale } from '../support/claimed-sale.ts'

/** Seconds since 1970. */
const validBefore = 1_000
const payment: PaymentRecord = {
  ...claimedSale,
  authorization: { ...claimedSale.authorization, validBefore },
  settlement: { transaction: '0x1', block: 9, blockHash: '0x2', logIndex: 0 },
}

/** The next look at a settlement with one confirmation of seven, in milliseconds. */
async function nextLook(now: number): Promise<unknown> {
  const ports = {
    clock: () => now,
    confirmationsOf: async () => 1,
    policy: {
      ...defaultPaymentPolicy,
      finalConfirmations: 7,
      blockMs: 20_000,
      watchMs: 30_000,
      resendMs: 60_000,
    },
  } as unknown as RecoveryPorts
  return await recoverFinality(ports, payment)
}

test.each([
  ['long before it expires, when it can be final', 0, 120_000],
  ['a minute before it expires, if that is sooner', 850_000, 90_000],
  ['a minute before it expires, at the shortest pause', 910_000, 30_000],
  ['when it can be final, if the last look is over', 910_001, 120_000],
])('a settlement is looked at again %s', async (_, now, inMs) => {
  expect(await nextLook(now)).toEqual({ inMs })
})
