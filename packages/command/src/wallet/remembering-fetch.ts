import type { FareboxClientOptions } from '@farebox/client'
import { formatDecimal } from '@farebox/money'
import { z } from 'zod'
import type { CommandIo } from '../terminal/command-io.ts'
import { parseJson } from './parse-json.ts'
import { rememberOrNote } from './payment-history.ts'

type Fetch = NonNullable<FareboxClientOptions['fetch']>

/** The header `PAYMENT-RESPONSE` of a request that made a deposit into a payment channel. */
const receiptSchema = z.object({
  transaction: z.string().min(1),
  amount: z.string().regex(/^\d{1,78}$/),
  extra: z.object({ channelState: z.object({ channelId: z.string() }) }),
})

/** A fetch that remembers the deposits that its requests made, for `farebox payments`. */
export function rememberingFetch(fetch: Fetch, url: string, io: CommandIo): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const receipt = receiptIn(response.headers)
    if (receipt === undefined) return response
    const { transaction, amount, extra } = receipt
    const id = extra.channelState.channelId
    const deposit = { usd: formatDecimal(BigInt(amount), 6), transaction }
    await rememberOrNote({ url, id, at: new Date().toISOString(), deposit }, io)
    return response
  }
}

function receiptIn(headers: Headers): z.infer<typeof receiptSchema> | undefined {
  const header = headers.get('payment-response') ?? ''
  return receiptSchema.safeParse(parseJson(Buffer.from(header, 'base64').toString())).data
}
