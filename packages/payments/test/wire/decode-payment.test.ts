import { type DecodedPayment, decodePayment } from '@farebox/payments/wire'
import fc from 'fast-check'
import { getAddress, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { contextFor, encode, network, signAuthorization, wirePayload } from '../support/pay.ts'

const payTo: Hex = '0x00000000000000000000000000000000000f00d1'
const privateKey: Hex = `0x${'7'.repeat(64)}`
const signer = { privateKey, address: privateKeyToAccount(privateKey).address }
const context = contextFor(payTo, 500n, 400n)

let signed: Awaited<ReturnType<typeof signAuthorization>>
let wire: ReturnType<typeof wirePayload>

beforeAll(async () => {
  signed = await signAuthorization({ signer, to: payTo, value: 500n })
  wire = wirePayload(signed, context)
})

const v2 = (value: unknown): DecodedPayment =>
  decodePayment({ 'payment-signature': encode(value) }, context)
const v1 = (value: unknown): DecodedPayment =>
  decodePayment({ 'x-payment': encode(value) }, context)

test('without a header there is no payment', () => {
  expect(decodePayment({}, context)).toEqual({ status: 'absent' })
})

test('both protocols carry the same payment, with the server’s own requirement', () => {
  const [second, first] = [v2(wire.v2), v1(wire.v1)]
  if (second.status !== 'decoded' || first.status !== 'decoded') throw new Error('not decoded')
  expect(first.payment).toEqual({ ...second.payment, protocol: 1 })
  expect(first.amount).toBe(500n)
  expect(first.payment.authorization).toMatchObject({
    chainId: 84532,
    asset: network.usdc,
    from: signer.address.toLowerCase(),
    to: payTo,
    value: 500n,
  })
  expect(first.payment.requirements).toMatchObject({
    amount: '500',
    payTo: getAddress(payTo),
    extra: { name: 'USDC', version: '2', paymentFlow: 'upfront' },
  })
  expect(first.payment.payload['accepted']).toEqual(first.payment.requirements)
})

test('an earlier price that is still honored is accepted as such', async () => {
  const cheaper = contextFor(payTo, 400n)
  const older = wirePayload(await signAuthorization({ signer, to: payTo, value: 400n }), cheaper)
  expect(v2(older.v2)).toMatchObject({ status: 'decoded', amount: 400n })
  expect(v1(older.v1)).toMatchObject({ status: 'decoded', amount: 400n })
})

describe('a readable payment that does not match is mismatched', () => {
  const value = 'invalid_exact_evm_payload_authorization_value_mismatch'
  const cases: readonly (readonly [string, () => DecodedPayment, string])[] = [
    ['another scheme', () => v1({ ...wire.v1, scheme: 'upto' }), 'invalid_exact_evm_scheme'],
    [
      'another v1 network',
      () => v1({ ...wire.v1, network: 'base' }),
      'invalid_exact_evm_network_mismatch',
    ],
    [
      'another v2 network',
      () => v2(accepting({ network: 'eip155:8453' })),
      'invalid_exact_evm_network_mismatch',
    ],
    [
      'a v1 name in v2',
      () => v2(accepting({ network: 'a:base' })),
      'invalid_exact_evm_network_mismatch',
    ],
    ['an amount that was not offered', () => v2(accepting({ amount: '499' })), value],
    ['the requirement of another offer', () => v2(accepting({ amount: '400' })), value],
    [
      'another payee echoed',
      () => v2(accepting({ payTo: network.usdc })),
      'invalid_exact_evm_recipient_mismatch',
    ],
    [
      'another token echoed',
      () => v2(accepting({ asset: payTo })),
      'invalid_exact_evm_asset_mismatch',
    ],
    [
      'another payee signed',
      () => v1(authorizing({ to: network.usdc })),
      'invalid_exact_evm_recipient_mismatch',
    ],
    ['another value signed', () => v1(authorizing({ value: '501' })), value],
  ]
  test.each(cases)('%s', (_, decode, reason) => {
    expect(decode()).toMatchObject({ status: 'mismatched', reason })
  })

  test('at another price it can still be recognized', () => {
    const decoded = v1(authorizing({ value: '501' }))
    expect(decoded).toMatchObject({ payment: { authorization: { nonce: signed.message.nonce } } })
  })
})

function accepting(change: Record<string, unknown>): unknown {
  return { ...wire.v2, accepted: { ...wire.v2.accepted, ...change } }
}

function authorizing(change: Record<string, unknown>) {
  const { payload } = wire.v1
  return {
    ...wire.v1,
    payload: { ...payload, authorization: { ...payload.authorization, ...change } },
  }
}

describe('an unreadable payment is malformed, with the field named', () => {
  const signature = (value: unknown): unknown => ({
    ...wire.v1,
    payload: { ...wire.v1.payload, signature: value },
  })
  const identifier = 'extensions.payment-identifier.info.id'
  const textAsTime = { maxTimeoutSeconds: '300' }
  const cases: readonly (readonly [string, () => DecodedPayment, string])[] = [
    [
      'both headers',
      () => decodePayment({ 'payment-signature': 'e30', 'x-payment': 'e30' }, context),
      'PAYMENT-SIGNATURE',
    ],
    ['an empty header', () => decodePayment({ 'x-payment': '' }, context), 'X-PAYMENT'],
    [
      'text that is not base64',
      () => decodePayment({ 'x-payment': '{"x402Version":1}' }, context),
      'X-PAYMENT',
    ],
    [
      'base64 with spaces',
      () => decodePayment({ 'x-payment': ` ${encode(wire.v1)}` }, context),
      'X-PAYMENT',
    ],
    ['mixed alphabets', () => decodePayment({ 'x-payment': 'ab+_' }, context), 'X-PAYMENT'],
    ['text that is not JSON', () => decodePayment({ 'x-payment': 'AAAA' }, context), 'X-PAYMENT'],
    [
      'bytes that are not UTF-8',
      () =>
        decodePayment({ 'x-payment': Buffer.from([0x22, 0xff, 0x22]).toString('base64') }, context),
      'X-PAYMENT',
    ],
    ['more than 8 KB', () => v2({ ...wire.v2, padding: 'x'.repeat(7_000) }), 'PAYMENT-SIGNATURE'],
    ['version 1 in the header of 2', () => v2({ ...wire.v2, x402Version: 1 }), 'PAYMENT-SIGNATURE'],
    [
      'version 2 in the header of 1',
      () => v1({ ...wire.v2, ...wire.v1, x402Version: 2 }),
      'X-PAYMENT',
    ],
    [
      'version 1 with a requirement',
      () =>
        decodePayment(
          { 'payment-signature': encode({ ...wire.v1, accepted: wire.v2.accepted }) },
          context,
        ),
      'PAYMENT-SIGNATURE',
    ],
    ['a missing requirement', () => v2({ ...wire.v2, accepted: undefined }), 'accepted'],
    ['a requirement without amount', () => v2(accepting({ amount: undefined })), 'accepted.amount'],
    ['a network without colon', () => v2(accepting({ network: 'base' })), 'accepted.network'],
    ['a time limit as text', () => v2(accepting(textAsTime)), 'accepted.maxTimeoutSeconds'],
    ['version 3', () => v2({ ...wire.v2, x402Version: 3 }), 'x402Version'],
    ['version 0', () => v1({ ...wire.v1, x402Version: 0 }), 'x402Version'],
    ['a missing payload', () => v2({ ...wire.v2, payload: undefined }), 'payload'],
    ['a payload as text', () => v1({ ...wire.v1, payload: 'x' }), 'payload'],
    ['a missing network', () => v1({ ...wire.v1, network: undefined }), 'network'],
    ['an empty scheme', () => v1({ ...wire.v1, scheme: '' }), 'scheme'],
    ['a resource without URL', () => v2({ ...wire.v2, resource: {} }), 'resource'],
    ['extensions as text', () => v2({ ...wire.v2, extensions: 'x' }), 'extensions'],
    ['null', () => v2(null), 'PAYMENT-SIGNATURE'],
    [
      'a missing authorization',
      () => v1({ ...wire.v1, payload: { signature: '0x00' } }),
      'payload.authorization',
    ],
    [
      'a permit2 payload',
      () => v1({ ...wire.v1, payload: { signature: '0x00', permit2Authorization: {} } }),
      'payload.authorization',
    ],
    ['a missing signature', () => v1(signature(undefined)), 'payload.signature'],
    ['half a byte', () => v1(signature('0x000')), 'payload.signature'],
    ['an empty signature', () => v1(signature('0x')), 'payload.signature'],
    ['a number as value', () => v1(authorizing({ value: 500 })), 'payload.authorization.value'],
    ['a negative value', () => v1(authorizing({ value: '-500' })), 'payload.authorization.value'],
    ['an exponent', () => v1(authorizing({ value: '5e2' })), 'payload.authorization.value'],
    [
      'a value beyond uint256',
      () => v1(authorizing({ value: '9'.repeat(78) })),
      'payload.authorization.value',
    ],
    ['a short address', () => v1(authorizing({ from: '0x1234' })), 'payload.authorization.from'],
    ['a short nonce', () => v1(authorizing({ nonce: '0x1234' })), 'payload.authorization.nonce'],
    [
      'a time beyond 2^53',
      () => v1(authorizing({ validBefore: (2n ** 200n).toString() })),
      'payload.authorization.validBefore',
    ],
    ['a short identifier', () => v2(identified('short')), identifier],
    ['an identifier with a slash', () => v2(identified('a/'.repeat(10))), identifier],
  ]
  test.each([
    [
      'version 1 in the header of 2',
      () => v2({ ...wire.v2, x402Version: 1 }),
      'send one of version 1 in X-PAYMENT',
    ],
    [
      'version 2 in the header of 1',
      () => v1(wire.v2),
      'send one of version 2 in PAYMENT-SIGNATURE',
    ],
    ['version 3', () => v2({ ...wire.v2, x402Version: 3 }), 'x402Version must be 2'],
    ['no payload', () => v2({ ...wire.v2, payload: null }), 'payload must be an object'],
    [
      'no requirement',
      () => v2({ ...wire.v2, accepted: null }),
      'accepted must be an entry of accepts',
    ],
    [
      'a number as value',
      () => v1(authorizing({ value: 500 })),
      'must be atomic units as a decimal string',
    ],
    // As Python's `bytes.hex()` writes them.
    ['a nonce without 0x', () => v1(authorizing({ nonce: '12'.repeat(32) })), 'with 0x'],
    ['a signature without 0x', () => v1(signature('12'.repeat(65))), 'with 0x'],
  ] as const)('%s: the message says what to change', (_, decode, fix) => {
    const decoded = decode()
    expect(decoded.status === 'malformed' && decoded.message).toContain(fix)
  })

  test.each(cases)('%s', (_, decode, param) => {
    const decoded = decode()
    expect(decoded).toMatchObject({ status: 'malformed', param })
    expect(decoded.status === 'malformed' && decoded.message).toContain(param)
  })
})

function identified(id: string): unknown {
  const info = { required: false, id }
  return { ...wire.v2, extensions: { 'payment-identifier': { info, schema: {} } } }
}

test('the client’s identifier is read, but not passed on', () => {
  const decoded = v2(identified('pay_0123456789abcdef'))
  expect(decoded).toMatchObject({ payment: { clientPaymentId: 'pay_0123456789abcdef' } })
  if (decoded.status !== 'decoded') throw new Error('not decoded')
  expect(JSON.stringify(decoded.payment.payload)).not.toContain('pay_0123456789abcdef')
})

test('every encoding of an authorization has the same identity', () => {
  const scrambled = fc.record({
    protocol: fc.constantFrom(1, 2),
    alphabet: fc.constantFrom<BufferEncoding>('base64', 'base64url'),
    padded: fc.boolean(),
    indent: fc.nat({ max: 4 }),
    upper: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean()),
    zeros: fc.nat({ max: 10 }),
    extra: fc.dictionary(fc.string({ maxLength: 5 }), fc.string({ maxLength: 9 }), { maxKeys: 3 }),
    reversed: fc.boolean(),
  })
  const identities = new Set<string>()
  fc.assert(
    fc.property(scrambled, (how) => {
      const { message, signature } = signed
      const [from, to, nonce, sig] = how.upper
      const hex = (text: string, up: boolean): string =>
        up ? `0x${text.slice(2).toUpperCase()}` : text
      const fields = {
        from: hex(message.from, from),
        to: hex(message.to, to),
        value: '0'.repeat(how.zeros) + message.value.toString(),
        validAfter: message.validAfter.toString(),
        validBefore: message.validBefore.toString(),
        nonce: hex(message.nonce, nonce),
      }
      const entries = Object.entries({ ...safe(how.extra), ...fields })
      const payload = {
        ...safe(how.extra),
        authorization: Object.fromEntries(how.reversed ? entries.reverse() : entries),
        signature: hex(signature, sig),
      }
      const base = how.protocol === 2 ? wire.v2 : wire.v1
      const text = JSON.stringify({ ...safe(how.extra), ...base, payload }, null, how.indent)
      const encoded = Buffer.from(text).toString(how.alphabet)
      const header = how.padded ? encoded : encoded.replace(/=+$/, '')
      const name = how.protocol === 2 ? 'payment-signature' : 'x-payment'
      const decoded = decodePayment({ [name]: header }, context)
      if (decoded.status !== 'decoded') throw new Error(decoded.status)
      const { authorization, signature: canonical } = decoded.payment
      identities.add(
        JSON.stringify({ ...authorization, value: authorization.value.toString(), canonical }),
      )
    }),
    { numRuns: 2_000 },
  )
  expect(identities.size).toBe(1)
})

function safe(extra: Record<string, string>): Record<string, string> {
  const known =
    /^(x402Version|scheme|network|payload|accepted|resource|extensions|__proto__|authorization|signature)$/
  return Object.fromEntries(Object.entries(extra).filter(([name]) => !known.test(name)))
}

test('no header makes it throw', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), fc.jsonValue(), (text, json) => {
      const statuses = [
        decodePayment({ 'x-payment': text }, context),
        decodePayment({ 'payment-signature': text }, context),
        v2({ ...wire.v2, payload: json }),
        v1({ ...wire.v1, payload: { signature: '0x00', authorization: json } }),
      ].map((decoded) => decoded.status)
      expect(new Set(statuses)).toEqual(new Set(['malformed']))
    }),
    { numRuns: 1_000 },
  )
})
