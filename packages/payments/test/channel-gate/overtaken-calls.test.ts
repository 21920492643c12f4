import { startDevnet } from '@farebox/devnet'
import { createMemoryStore, type LedgerStore } from '@farebox/ledger'
import type { Admission } from '@farebox/payments'
import { sellByChannel } from '@farebox/payments/parts'
import { expect, test } from 'vitest'
import { callFor, signCall } from '../support/channel-payment.ts'
import { usdc } from '../support/pay.ts'
import { admitted, until } from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

const { open, freshPayer } = testPaywallsOn(() => startDevnet())

const ceiling = 1_000n

type Terms = { readonly ceiling?: bigint; readonly deposit?: bigint }

test('a corrected call that another one overtakes is admitted once that has cost less, before calls that wait', async () => {
  const memory = createMemoryStore()
  const tried: string[] = []
  let reads = 0
  const store: LedgerStore = {
    ...memory,
    async holdCall(...call) {
      const outcome = await memory.holdCall(...call)
      tried.push(call[0].requestDigest)
      return outcome
    },
    async loadChannel(id) {
      reads += 1
      return await memory.loadChannel(id)
    },
  }
  const isTried = async (digest: string) => tried.some((one) => one.startsWith(digest))
  const paywall = open({
    store,
    channels: sellByChannel({ policy: { turnMs: 30_000, maxTurnWaitMs: 60_000 } }),
  })
  const payer = freshPayer()
  const admit = async (digest: string, base: bigint, terms: Terms = {}): Promise<Admission> => {
    const call = { base, ceiling, ...terms }
    const { headers } = await signCall(paywall, payer, call)
    return await paywall.gate.admit(callFor(headers, { ceiling: call.ceiling, digest }))
  }
  const end = async (admission: Admission): Promise<void> => {
    const outcome = { cost: usdc(300n), usage: null, answer: null }
    await paywall.gate.complete(admitted(admission), outcome)
  }
  const first = await admit('first', 0n, { deposit: 100_000n })
  expect((await admit('corrected', 0n)).status).toBe('rejected')
  await end(first)
  // Of a lower ceiling, so that two like it would fit below the awaited voucher.
  const overtaking = await admit('overtaking', 300n, { ceiling: 850n })
  tried.splice(0)
  const waiting = admit('waiting', 0n)
  await until(() => isTried('waiting'))
  reads = 0
  // While it waits for the corrected call, it reads the channel.
  await until(async () => reads > 0)
  const corrected = admit('corrected', ceiling)
  await until(() => isTried('corrected'))
  await end(overtaking)
  expect((await corrected).status).toBe('settled')
  expect((await waiting).status).toBe('rejected')
})
