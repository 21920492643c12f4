import { type Devnet, startDevnet } from '@farebox/devnet'
import { createTransactionQueue } from '@farebox/payments/chain'
import { expect, test } from 'vitest'
import { callFor, presentCall, refusalOf, signCall } from '../support/channel-payment.ts'
import { buyFirst, channelOf, complete, setUpChannels } from '../support/channel-setup.ts'
import { network } from '../support/pay.ts'
import { admitted } from '../support/test-paywall.ts'
import { auditedTestPaywallsOn, funds } from '../support/test-paywalls.ts'

let devnet: Devnet
const { open, payer, balance } = auditedTestPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})

const later = { claimAfterMs: 3_600_000 }
const transactionsOf = async (address: string) =>
  Number(await devnet.rpc('eth_getTransactionCount', [address, 'latest']))

test('after a change of the authorizer and the relayer, open channels sell nothing and wait for the old key', async () => {
  const before = setUpChannels(open, { rules: later })
  const call = await buyFirst(before, payer(0), 4_000n)
  const [authorizer, relayer] = [payer(1), payer(2)]
  await devnet.setEthBalance(relayer.address, 10n ** 18n)
  const queue = createTransactionQueue({
    rpcUrl: devnet.rpcUrl,
    network,
    key: relayer.privateKey,
    pollMs: 20,
  })
  const { store } = before.paywall
  const after = setUpChannels(open, { owner: 'later', store, authorizer, queue })
  await after.rounds.runOnce()
  const { config } = call
  const old = { ceiling: 10_000n, base: 4_000n, digest: 'b', config }
  expect(refusalOf(await presentCall(after.paywall, payer(0), old))).toBe(
    'invalid_batch_settlement_evm_receiver_authorizer_mismatch',
  )

  const sentBefore = await transactionsOf(devnet.relayer.address)
  const another = await signCall(after.paywall, payer(0), { ceiling: 10_000n, deposit: 50_000n })
  const request = callFor(another.headers, { ceiling: 10_000n, digest: 'c' })
  await complete(after.paywall, admitted(await after.paywall.gate.admit(request)), 3_000n)
  const closing = { type: 'closing', at: after.paywall.clock() } as const
  const { channel } = await store.applyToChannel({ id: call.channelId }, closing)
  expect((await after.rounds.closeNow(channel)).status).toBe('closing')
  after.paywall.passSeconds(61)
  await after.rounds.runOnce()
  expect(await after.rounds.obstacle()).toBeUndefined()
  expect(await channelOf(after, another)).toMatchObject({ status: 'open', claimed: 3_000n })
  expect(await channelOf(after, call)).toMatchObject({ status: 'closing', claimed: 0n })
  expect(await transactionsOf(devnet.relayer.address)).toBe(sentBefore)

  before.paywall.passSeconds(122)
  await before.rounds.runOnce()
  expect(await channelOf(before, call)).toMatchObject({ status: 'closed', claimed: 4_000n })
  expect(await channelOf(before, another)).toMatchObject({ status: 'open', claimed: 3_000n })
  expect(await balance(0)).toBe(funds - 4_000n - 50_000n)
})
