import { startDevnet } from '@farebox/devnet'
import { sellByChannel } from '@farebox/payments/parts'
import { expect, test } from 'vitest'
import { callFor, presentCall, refusalOf, signCall } from '../support/channel-payment.ts'
import { encode, usdc } from '../support/pay.ts'
import { admitted, payHeaders, requestFor, type TestPaywall } from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

const { open, freshPayer } = testPaywallsOn(() => startDevnet({ payers: 20 }))

const openShop = () => open({ channels: sellByChannel() })
const ceiling = 1_000n
const deposit = 100_000n

type Json = Readonly<Record<string, unknown>>

/** A copy in which the field at a path has another value. */
function withField(json: Json, path: string, value: unknown): Json {
  const [first, ...rest] = path.split('.')
  const inner = rest.length === 0 ? value : withField(json[first!] as Json, rest.join('.'), value)
  return { ...json, [first!]: inner }
}

async function isEmpty({ store }: TestPaywall): Promise<boolean> {
  for await (const _ of store.exportPayments()) return false
  return true
}

/** Spellings of a number that are not decimal text, and numbers that no field takes. */
const notNumbers = [
  '-1000',
  '+1000',
  '0x3e8',
  '1e3',
  '1000.0',
  ' 1000',
  '1_000',
  '１０００',
  '',
  1_000,
  null,
  (2n ** 256n).toString(),
]
const beyondLedger = [2n ** 63n, 2n ** 128n - 1n, 2n ** 128n, 2n ** 128n + 1_000n].map(String)

test.each(['value', 'validAfter', 'validBefore'])(
  'an authorization whose %s is not a decimal number is refused with the name of the field, and stored nowhere',
  async (name) => {
    const paywall = openShop()
    const { payload } = await payHeaders(paywall.devnet, freshPayer())
    for (const value of notNumbers) {
      const changed = withField(payload, `payload.authorization.${name}`, value)
      const admission = await paywall.gate.admit(
        requestFor({ 'payment-signature': encode(changed) }),
      )
      expect([value, refusalOf(admission)]).toEqual([
        value,
        expect.stringContaining(`payload.authorization.${name}`),
      ])
    }
    expect(await isEmpty(paywall)).toBe(true)
  },
)

test('an authorization over the price and a multiple of 2^63, 2^64, 2^128 or 2^255 is refused, and stored nowhere', async () => {
  const paywall = openShop()
  const { payload } = await payHeaders(paywall.devnet, freshPayer())
  for (const bits of [63n, 64n, 128n, 255n]) {
    const value = (2n ** bits + 10_000n).toString()
    const changed = withField(payload, 'payload.authorization.value', value)
    const admission = await paywall.gate.admit(requestFor({ 'payment-signature': encode(changed) }))
    expect(refusalOf(admission)).toMatch(/value/)
  }
  expect(await isEmpty(paywall)).toBe(true)
})

test.each([
  ['voucher.maxClaimableAmount', 'payload.voucher.maxClaimableAmount', beyondLedger],
  ['deposit.amount', 'payload.deposit.amount', beyondLedger],
  [
    'deposit.authorization.erc3009Authorization.validAfter',
    'payload.deposit.authorization.erc3009Authorization.validAfter',
    [],
  ],
  [
    'deposit.authorization.erc3009Authorization.validBefore',
    'payload.deposit.authorization.erc3009Authorization.validBefore',
    [],
  ],
] as const)(
  'a deposit whose %s is not a number of the ledger is refused with the name of the field, and stored nowhere',
  async (path, named, beyond) => {
    const paywall = openShop()
    const payer = freshPayer()
    for (const value of [...notNumbers, ...beyond]) {
      const forge = (payload: Json) => withField(payload, path, value)
      const admission = await presentCall(paywall, payer, { ceiling, deposit, forge })
      expect([value, refusalOf(admission)]).toEqual([value, expect.stringContaining(named)])
    }
    expect(await isEmpty(paywall)).toBe(true)
  },
)

test.each<readonly [string, readonly unknown[]]>([
  ['withdrawDelay', ['86400', '0x15180', -1, 86_400.5, 2 ** 40, null]],
  ['salt', ['0x0', '0', 0, `0x${'0'.repeat(63)}`, `0x${'0'.repeat(65)}`, `0x${'g'.repeat(64)}`]],
  ['payer', ['0x0', `0x${'1'.repeat(39)}`, `0x${'1'.repeat(41)}`, '1'.repeat(40), null]],
  ['token', ['0x0', `0x${'1'.repeat(39)}`, null]],
])(
  'a channel whose %s is written in another form is refused with the name of the field, and stored nowhere',
  async (name, values) => {
    const paywall = openShop()
    const payer = freshPayer()
    for (const value of values) {
      const forge = (payload: Json) => withField(payload, `channelConfig.${name}`, value)
      const admission = await presentCall(paywall, payer, { ceiling, deposit, forge })
      expect([value, refusalOf(admission)]).toEqual([
        value,
        expect.stringContaining(`payload.channelConfig.${name}`),
      ])
    }
    expect(await isEmpty(paywall)).toBe(true)
  },
)

test('a voucher with leading zeros is the voucher without them, and is sold once', async () => {
  const paywall = openShop()
  const payer = freshPayer()
  const first = await signCall(paywall, payer, { ceiling, deposit })
  const opening = admitted(await paywall.gate.admit(callFor(first.headers, { ceiling })))
  await paywall.gate.complete(opening, { cost: usdc(300n), usage: null, answer: null })
  const call = { base: 300n, ceiling }
  const forge = (payload: Json) =>
    withField(payload, 'voucher.maxClaimableAmount', `${'0'.repeat(60)}1300`)
  const padded = await presentCall(paywall, payer, { ...call, digest: 'b', forge })
  const payment = admitted(padded)
  await paywall.gate.complete(payment, { cost: usdc(1n), usage: null, answer: null })
  const again = await presentCall(paywall, payer, { ...call, digest: 'c' })
  expect(refusalOf(again)).toContain('cumulative_amount_mismatch')
})
