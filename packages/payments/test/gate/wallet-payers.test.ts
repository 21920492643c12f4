import { burningWallet, type Devnet, delegateTo, startDevnet } from '@farebox/devnet'
import type { Admission } from '@farebox/payments'
import { sellByChannel } from '@farebox/payments/parts'
import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { callFor, signCall } from '../support/channel-payment.ts'
import { contextFor, encode, usdc, wirePayload } from '../support/pay.ts'
import { admitted, payHeaders, price, reload, requestFor } from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
const { freshPayer, open } = testPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})

function messageOf(admission: Admission): unknown {
  if (admission.status !== 'rejected') throw new Error(`expected a 402, got ${admission.status}`)
  return admission.body['message']
}

test('the 402 for a key whose delegation accepts no signatures says that its code decides', async () => {
  const payer = freshPayer()
  await devnet.setCode(payer.address, `0xef0100${devnet.usdc.slice(2)}`)
  const { v2 } = await payHeaders(devnet, payer)
  const admission = await open().gate.admit(requestFor(v2))
  expect(messageOf(admission)).toBe(
    `The code of ${payer.address.toLowerCase()} does not accept the signature within 500,000 gas (ERC-1271). An account with code, such as one with a delegation (EIP-7702), pays only if its code does: the token does not ask its key. Remove the delegation, or pay from another account. No money moved.`,
  )
})

test.each<[string, Hex]>([
  ['an invalid instruction', '0xfe'],
  ['an unknown instruction', '0x0c'],
  ['a jump to nowhere', '0x600056'],
  ['an empty stack', '0x50'],
  ['a stack without room', '0x5b6000600056'],
  ['memory without end', '0x6000600019f3'],
])('a wallet whose code stops with %s does not accept its signature', async (_, code) => {
  const paywall = open()
  const payer = freshPayer()
  await delegateTo(devnet, payer.address, code)
  const { v2 } = await payHeaders(devnet, payer)
  const admission = await paywall.gate.admit(requestFor(v2))
  expect(messageOf(admission)).toContain('does not accept the signature')
  expect(paywall.notices).toEqual([])
})

/** Two words of the settlement's call, as if they were a signature. */
function termsOf({ value, validAfter }: { value: bigint; validAfter: bigint }): Hex {
  const words = [value, validAfter].map((term) => term.toString(16).padStart(64, '0'))
  return `0x${words.join('')}1b`
}

test.each(['unchecked', 'final'])(
  'a payment whose wallet no longer accepts its signature is found while it is %s, and only with that signature',
  async (state) => {
    const paywall = open()
    const payer = freshPayer()
    await delegateTo(devnet, payer.address, burningWallet(1_000))
    const { v2, signed } = await payHeaders(devnet, freshPayer(), { from: payer.address })
    const begun = await paywall.gate.begin(admitted(await paywall.gate.admit(requestFor(v2))))
    if (begun.status !== 'begun') throw new Error('expected to begin')
    const answer = { statusCode: 200, contentType: 'text/plain', body: new Uint8Array(1) }
    await paywall.gate.complete(begun.payment, { cost: usdc(price), usage: null, answer })
    if (state === 'final') {
      await devnet.mine(5)
      paywall.passSeconds(60)
      await paywall.recovery.runOnce()
    }
    expect((await reload(paywall, begun.payment)).payload === null).toBe(state === 'final')
    await devnet.setCode(payer.address, `0xef0100${devnet.usdc.slice(2)}`)
    expect(await paywall.gate.admit(requestFor(v2))).toMatchObject({ status: 'replayed' })
    const other = requestFor(v2, { requestDigest: 'b'.repeat(64) })
    expect(await paywall.gate.admit(other)).toMatchObject({ code: 'authorization_reused' })

    const to = devnet.treasury.address
    const forgeries = [
      { ...signed, signature: `0x${'1'.repeat(130)}` as const },
      { ...signed, signature: '0x' as const },
      { ...signed, signature: termsOf(signed.message) },
      { ...signed, message: { ...signed.message, validAfter: 1n } },
    ]
    for (const forged of forgeries) {
      const headers = { 'payment-signature': encode(wirePayload(forged, contextFor(to, price)).v2) }
      expect((await paywall.gate.admit(requestFor(headers))).status).toBe('rejected')
    }
  },
)

test('the 402 for a wallet that signs vouchers itself says to name a key', async () => {
  const paywall = open({ channels: sellByChannel() })
  const payer = freshPayer()
  const wallet = await devnet.deploySmartWallet(payer.address)
  const config = { payer: wallet, payerAuthorizer: wallet }
  const { headers } = await signCall(paywall, payer, { ceiling: 1_000n, deposit: 100_000n, config })
  const admission = await paywall.gate.admit(callFor(headers, { ceiling: 1_000n }))
  expect(messageOf(admission)).toContain('name a key as payerAuthorizer')
})

test('the 402 for a channel on other terms names the fields that the entry sets', async () => {
  const paywall = open({ channels: sellByChannel() })
  const config = { withdrawDelay: 900 }
  const { headers } = await signCall(paywall, freshPayer(), {
    ceiling: 1_000n,
    deposit: 100_000n,
    config,
  })
  const admission = await paywall.gate.admit(callFor(headers, { ceiling: 1_000n }))
  expect(messageOf(admission)).toContain('withdrawDelay of the batch-settlement entry of accepts')
})
