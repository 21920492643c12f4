import { type Devnet, startDevnet } from '@farebox/devnet'
import type { Admission } from '@farebox/payments'
import { sellByChannel } from '@farebox/payments/parts'
import { expect, test } from 'vitest'
import { callFor, signCall } from '../support/channel-payment.ts'
import { payHeaders, requestFor } from '../support/test-paywall.ts'
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
