import { UpstreamError } from '@farebox/provider-proxy'
import { expect, test } from 'vitest'
import { openRoute, payment } from './open-route.ts'

const ofPayer = { faultOf: 'payer' } as const
const unpaidCost = payment.authorization.value / 10n

test.each([
  { code: 'upstream_overtime', counted: { ...ofPayer, unpaidCost } },
  { code: 'upstream_unusable', counted: { ...ofPayer, unpaidCost } },
  { code: 'upstream_withheld', counted: { ...ofPayer, unpaidCost } },
  { code: 'upstream_rejected', counted: ofPayer },
  { code: 'upstream_image_unreachable', counted: ofPayer },
  { code: 'upstream_timeout', counted: {} },
] as const)(
  '$code counts against the payer, if at all, with its cost',
  async ({ code, counted }) => {
    const failures: object[] = []
    const { ask } = await openRoute({
      gate: {
        begin: async () => ({ status: 'begun', payment }),
        fail: async (
          _,
          { reason: _reason, answer: _answer, clientAddress: _address, ...fault },
        ) => {
          failures.push(fault)
          return { payment, headers: {} }
        },
      },
      endpoint: {
        complete: async () => ({
          status: 'failed',
          error: new UpstreamError('failed', { code, provider: 'test' }),
        }),
      },
    })
    await ask()
    expect(failures).toEqual([counted])
  },
)
