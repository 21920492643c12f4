import { expect, test } from 'vitest'
import { createCostInquiry } from '../../src/call/cost-inquiry.ts'
import { FareboxError } from '../../src/index.ts'

function openPayments(count: number): Map<string, number> {
  return new Map(Array.from({ length: count }, (_, index) => [`pay_${index}`, index]))
}

test('a cost inquiry asks no further once its condition is met', async () => {
  const open = openPayments(100)
  const asked: string[] = []
  const inquire = createCostInquiry(open, async (id) => {
    asked.push(id)
    open.delete(id)
  })
  await inquire(() => open.size === 100)
  expect(asked).toEqual([])
  await inquire(() => open.size < 98)
  expect(asked).toEqual(['pay_0', 'pay_1', 'pay_2', 'pay_3'])
})

test('at most 40 are asked for at once, four at a time, and next time the others', async () => {
  const open = openPayments(60)
  let atOnce = 0
  let most = 0
  const asked: string[] = []
  const inquire = createCostInquiry(open, async (id) => {
    asked.push(id)
    atOnce += 1
    most = Math.max(most, atOnce)
    await Promise.resolve()
    atOnce -= 1
  })
  await inquire(() => false)
  expect(asked).toHaveLength(40)
  expect(most).toBe(4)
  await inquire(() => false)
  expect(asked[40]).toBe('pay_40')
  expect(new Set(asked)).toEqual(new Set(open.keys()))
})

test.each([
  ['is rate limited', new FareboxError('RATE_LIMITED', 'Too many requests.', { status: 429 }), 4],
  ['does not answer', new FareboxError('connection_failed', 'No answer.'), 4],
  ['does not know a payment', new FareboxError('not_found', 'No payment.', { status: 404 }), 8],
])('a gateway that %s is asked %#', async (_, error, expected) => {
  const open = openPayments(8)
  let asked = 0
  await createCostInquiry(open, async () => {
    asked += 1
    throw error
  })(() => false)
  expect(asked).toBe(expected)
})
