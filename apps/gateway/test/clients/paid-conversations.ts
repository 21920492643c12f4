import { usdcAddress } from '@farebox/devnet'
import { audit } from '@farebox/payments'
import { createChainReader, signingAddress } from '@farebox/payments/chain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { openPayingFetch } from '../support/paying-fetch.ts'
import { type Conversation, result } from './conversation.ts'

/** Holds each conversation with one gateway, whole and streamed, and then audits its books. */
export function testConversations(clients: Readonly<Record<string, Conversation>>): void {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await openGateway({ REFUND_MIN_USDC: '1' })
  })
  afterAll(() => gateway.stop())

  describe.each([false, true])('streamed: %s', (streamed) => {
    test.each(Object.entries(clients).map(([name, held], index) => ({ name, held, index })))(
      '$name: four answers, one quote and one payment each',
      async ({ held, index }) => {
        const { fetch, payments, quotes } = openPayingFetch(gateway, index)
        const outcome = await held({ url: gateway.url, fetch, streamed })
        expect(outcome.places).toEqual(['sandbox', 'sandbox'])
        expect(outcome.answers).toEqual(Array(2).fill(expect.stringContaining(result)))
        expect([quotes(), new Set(payments).size]).toEqual([4, 4])
        for (const id of payments) await expectEven(gateway, id)
      },
    )
  })

  test('the audit explains every unit', async () => {
    const report = await audit({
      store: gateway.store,
      chain: createChainReader({ rpcUrl: gateway.access.rpcUrl }),
      asset: usdcAddress,
      treasury: signingAddress(gateway.access.treasuryKey),
      fromBlock: 0,
    })
    expect(report.unexplained).toEqual([])
    expect(report.payments).toBe(Object.keys(clients).length * 8)
  })
}

async function expectEven(gateway: TestGateway, id: string): Promise<void> {
  const { status, paid, cost, refund } = await gateway.record(id)
  expect(status).toBe('completed')
  expect(BigInt(cost?.usdc ?? '0')).toBeGreaterThan(0n)
  expect(BigInt(paid.usdc)).toBe(BigInt(cost?.usdc ?? '0') + BigInt(refund?.usdc ?? '0'))
}
