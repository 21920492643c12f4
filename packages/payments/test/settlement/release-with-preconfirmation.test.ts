import type { Hex } from '@farebox/ledger'
import { expect, test } from 'vitest'
import type { PaymentNotice } from '../../src/events/payment-events.ts'
import { releaseWithPreconfirmation } from '../../src/settlement/release-with-preconfirmation.ts'
import { claimedSale } from '../support/claimed-sale.ts'

const payment = { ...claimedSale, intentBlock: 10 }
const [first, second]: readonly [Hex, Hex] = ['0x1', '0x2']

function openRelease() {
  const released: Hex[] = []
  const notices: PaymentNotice[] = []
  const notify = (notice: PaymentNotice) => void notices.push(notice)
  const release = releaseWithPreconfirmation(
    { notify },
    payment,
    (transaction) => void released.push(transaction),
  )
  return { release, released, notices }
}

test('bytes are released once, with the first transaction that is shown', () => {
  const { release, released, notices } = openRelease()
  release.onShown?.({ transaction: first, block: 11 })
  release.onShown?.({ transaction: second, block: 11 })
  expect(released).toEqual([first])
  expect(notices).toEqual([{ type: 'payment_preconfirmed', payment, transaction: first }])
  expect(release.end()).toBe(first)
})

test('the block of the claim and those before it release nothing', () => {
  const { release, released } = openRelease()
  release.onShown?.({ transaction: first, block: 9 })
  release.onShown?.({ transaction: first, block: 10 })
  expect([released, release.end()]).toEqual([[], undefined])
})

test('nothing is released after the end', () => {
  const { release, released, notices } = openRelease()
  expect(release.end()).toBeUndefined()
  release.onShown?.({ transaction: first, block: 11 })
  expect([released, notices, release.end()]).toEqual([[], [], undefined])
})
