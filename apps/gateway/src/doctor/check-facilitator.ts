import { paymentNetwork } from '@farebox/payments'
import { cdpFacilitatorUrl, createCdpToken } from '@farebox/payments/chain'
import { z } from 'zod'
import { type Authorize, askFacilitator } from '../dependencies/ask-facilitator.ts'
import type { Config } from '../settings.ts'
import type { Finding } from './finding.ts'

const subject = 'facilitator'

/** Asks a remote facilitator whether it settles the payments that are sold. */
export async function checkFacilitator(config: Config): Promise<readonly Finding[]> {
  const facilitator = facilitatorOf(config)
  if (facilitator === undefined) return []
  const { base, authorize, credentials } = facilitator
  const answer = await askFacilitator(base, authorize)
  if (answer.status === 'unavailable') {
    const message = `${answer.reason}: nothing can be sold`
    return [{ verdict: 'wrong', subject, message, fix: 'start it, or correct FACILITATOR_URL' }]
  }
  const { host, response } = answer
  if (response.ok) return [verdictOf(host, await kindsOf(response), config.NETWORK)]
  await response.body?.cancel()
  const { status } = response
  const isRejected = status === 401 || status === 403
  const message = isRejected
    ? `rejects our authorization (HTTP ${status})`
    : `responds with HTTP ${status} to the list of payments`
  const fix = isRejected ? `correct ${credentials}` : wrongAddress
  return [{ verdict: 'wrong', subject, message: `${host} ${message}`, fix }]
}

type Remote = {
  readonly base: string
  readonly authorize?: Authorize
  /** The settings that hold them. */
  readonly credentials: string
}

function facilitatorOf(config: Config): Remote | undefined {
  const { FACILITATOR_URL: url, CDP_API_KEY_ID: apiKeyId } = config
  const { CDP_API_KEY_SECRET: apiKeySecret } = config
  if (apiKeyId === undefined || apiKeySecret === undefined) {
    const credentials = 'the user name and password in FACILITATOR_URL'
    return url === undefined ? undefined : { base: url, credentials }
  }
  const cdpToken = createCdpToken({ apiKeyId, apiKeySecret })
  return {
    base: url ?? cdpFacilitatorUrl,
    authorize: (to) => {
      const now = Math.floor(Date.now() / 1000)
      return { authorization: `Bearer ${cdpToken({ method: 'GET', url: to, now })}` }
    },
    credentials: 'CDP_API_KEY_ID and CDP_API_KEY_SECRET',
  }
}

const wrongAddress = 'set FACILITATOR_URL to its address without /supported or /settle'

type Kinds = readonly unknown[] | undefined

const supportedSchema = z.object({ kinds: z.array(z.unknown()) })

/** The kinds of payment in a response; undefined if it lists none. */
async function kindsOf(response: Response): Promise<Kinds> {
  try {
    return supportedSchema.parse(await response.json()).kinds
  } catch {
    return undefined
  }
}

function verdictOf(host: string, kinds: Kinds, name: Config['NETWORK']): Finding {
  if (kinds === undefined) {
    const message = `${host} does not list the payments that it settles`
    return { verdict: 'wrong', subject, message, fix: wrongAddress }
  }
  const { caip2 } = paymentNetwork(name)
  // Every payment is sent to it as one of version 2, whichever the client used.
  const sold = z.object({
    x402Version: z.literal(2),
    scheme: z.literal('exact'),
    network: z.literal([caip2, 'eip155:*']),
  })
  const payments = `exact payments on ${caip2} (x402 version 2)`
  if (kinds.some((kind) => sold.safeParse(kind).success)) {
    return { verdict: 'ok', subject, message: `${host} settles ${payments}` }
  }
  const fix = 'set FACILITATOR_URL to a facilitator of this network'
  return { verdict: 'wrong', subject, message: `${host} does not settle ${payments}`, fix }
}
