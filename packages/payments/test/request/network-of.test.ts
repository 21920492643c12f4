import { isIPv6 } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { networkOf } from '../../src/request/network-of.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2ff::9', '2001:db8:1:200::/56'],
  ['2001:DB8:1:2aa:ffff:ffff:ffff:ffff', '2001:db8:1:200::/56'],
  ['2001:db8:1:300::9', '2001:db8:1:300::/56'],
  ['fe80::1%eth0', 'fe80:0:0:0::/56'],
  ['::1', '0:0:0:0::/56'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/56'],
  ['unix:', undefined],
  ['', undefined],
  [undefined, undefined],
])('%s is in the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test('addresses are in one network exactly if their first 56 bits are the same', () => {
  const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 })
  const bit = fc.integer({ min: 0, max: 127 })
  fc.assert(
    fc.property(bytes, bit, (address, changed) => {
      const other = address.map((byte, at) =>
        at === changed >> 3 ? byte ^ (1 << (7 - (changed & 7))) : byte,
      )
      expect(isIPv6(textOf(address))).toBe(true)
      expect(networkOf(textOf(address)) === networkOf(textOf(other))).toBe(changed >= 56)
    }),
  )
})

function textOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex')
  return (hex.match(/.{4}/g) ?? []).join(':')
}
