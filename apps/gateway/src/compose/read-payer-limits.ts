import type { Hex } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import type { PayerLimits } from '@farebox/payments'
import { type FileContent, readOperatorFile } from '@farebox/storefront'
import { usdcAmount } from '@farebox/storefront/settings'
import { z } from 'zod'

/** The limits of each payer. */
export type LimitsOf = (payer: Hex) => PayerLimits

const limits = {
  requestsPerMinute: z.int('must be a whole number').min(1).max(1_000_000).nullable().optional(),
  usdcPerDay: usdcAmount.nullable().optional(),
}

const fileSchema = z.strictObject({
  ...limits,
  payers: z
    .record(
      z
        .string()
        .regex(/^0x[0-9a-fA-F]{40}$/, 'is not an address: use 0x and 40 hexadecimal digits'),
      z.strictObject(limits),
    )
    .default({}),
})

type Limits = {
  readonly requestsPerMinute?: number | null | undefined
  readonly usdcPerDay?: Usdc | null | undefined
}

/** Reads the file of `PAYER_LIMITS`; without it, payers are not limited. */
export function readPayerLimits(path: string | undefined): FileContent<LimitsOf> {
  return readOperatorFile(path, (json) => {
    const parsed = fileSchema.safeParse(json)
    if (parsed.success) return { value: limitsOf(parsed.data) }
    const issues = parsed.error.issues.map(({ path: at, message }) => ({
      path: at.join('.'),
      message,
    }))
    return { issues }
  })
}

function limitsOf({ payers, ...general }: z.output<typeof fileSchema>): LimitsOf {
  const own = new Map(
    Object.entries(payers).map(([payer, some]) => [payer.toLowerCase(), { ...general, ...some }]),
  )
  return (payer) => {
    const { requestsPerMinute = null, usdcPerDay = null }: Limits =
      own.get(payer.toLowerCase()) ?? general
    return { requestsPerMinute, spendPerDay: usdcPerDay }
  }
}
