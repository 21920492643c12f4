import type { Usdc } from '@farebox/money'
import { FareboxError } from '../farebox-error.ts'
import { apiError } from '../http/api-error.ts'
import { fetchFree } from '../http/fetch-or-fail.ts'
import { readJson } from '../http/read-json.ts'
import { rejectRedirectedQuote } from '../http/reject-redirected-quote.ts'
import { refuseUnknown } from '../invalid-option.ts'
import { closedByUs } from '../pay/channel-unused.ts'
import type { Fetch } from '../pay/paying-fetch.ts'
import type { PaymentTerms } from '../pay/payment-offer.ts'
import { type Decision, repeatUntilDecided } from '../pay/repeat-until-decided.ts'
import { usdcOption } from '../pay/usdc-option.ts'
import { type ChannelFigures, readChannelFigures } from './channel-figures.ts'
import { type ChannelOffer, chooseChannelOffer } from './channel-offer.ts'
import { readChannelReceipt } from './channel-receipt.ts'
import type { OpenChannel, OpenChannels } from './open-channels.ts'
import { signDeposit } from './sign-call.ts'
import type { ChannelSigner } from './sign-channel.ts'

export type ActionOptions = { readonly signal?: AbortSignal | undefined }

/** What a payer can do with its channel besides paying calls. */
export type ChannelActions = {
  /** The channel's figures; `undefined` if the gateway has no channel of this payer. */
  figures(options?: ActionOptions): Promise<ChannelFigures | undefined>
  /** Asks what the calls of a channel cost, where it is not known, and what it holds. */
  refresh(channel: OpenChannel): Promise<void>
  /** Deposits more, or opens the channel. */
  topUp(amount: Usdc, options?: ActionOptions): Promise<ChannelFigures>
  /**
   * Requests the return of the rest; its transfer follows. From then on the client pays by `exact`.
   */
  close(options?: ActionOptions): Promise<ChannelFigures>
}

export type ChannelActionsOptions = {
  /** URL of the gateway. */
  readonly gateway: string
  readonly fetch: Fetch
  readonly channels: OpenChannels
  readonly sign: ChannelSigner
  readonly terms: PaymentTerms
  readonly patienceMs: number
}

/**
 * Creates the actions of the channel at one gateway. Throws `channel_unavailable` if the gateway does
 * not offer payment channels, `channel_refused` with its reason, and `spend_cap_exceeded`.
 */
export function createChannelActions(options: ChannelActionsOptions): ChannelActions {
  return {
    async figures(action = {}) {
      const { channel } = await ask(options, action)
      return await fetchFigures(options, channel, action)
    },
    async refresh(channel) {
      const figures = await fetchFigures(options, channel, { timeoutMs: 10_000 }).catch(
        () => undefined,
      )
      if (figures === undefined) return
      const { deposited, returned, charged } = figures
      channel.book.reconcile({ balance: deposited - returned, charged })
    },
    async topUp(amount, action = {}) {
      usdcOption('amount', amount, 1n)
      return await inTurn(options, action, async (asked) => await topUp(options, asked, amount))
    },
    close: async (action = {}) =>
      await inTurn(options, action, async (asked) => await close(options, asked)),
  }
}

/** Runs an action that needs the channel to itself. */
async function inTurn(
  options: ChannelActionsOptions,
  action: ActionOptions,
  run: (asked: Asked) => Promise<ChannelFigures>,
): Promise<ChannelFigures> {
  const asked = await ask(options, action)
  const release = await asked.channel.takeTurn(action.signal)
  try {
    return await run(asked)
  } finally {
    release()
  }
}

type Asked = { readonly channel: OpenChannel; readonly offer: ChannelOffer } & ActionOptions

/** The channel on the gateway's current terms. */
async function ask(
  options: ChannelActionsOptions,
  { signal, ...unknown }: ActionOptions,
): Promise<Asked> {
  refuseUnknown('call', unknown)
  const { gateway, fetch, terms, channels } = options
  const request = { url: `${gateway}/v1/channel`, signal, fetch }
  const offer = await fetchFree(request, async (response) => {
    rejectRedirectedQuote(response)
    if (response.status !== 402 && response.status !== 404) throw await apiError(response)
    await response.body?.cancel()
    const isChallenge = response.status === 402
    return isChallenge ? chooseChannelOffer(response.headers, terms) : undefined
  })
  if (offer === undefined) {
    throw new FareboxError(
      'channel_unavailable',
      `${gateway}/v1/channel offers no payment channel on the networks and to the payee of this client. Withdraw what an open channel holds from its contract.`,
    )
  }
  return { channel: await channels.of(offer), offer, signal }
}

async function fetchFigures(
  { gateway, fetch }: ChannelActionsOptions,
  { id }: OpenChannel,
  { signal, timeoutMs }: ActionOptions & { readonly timeoutMs?: number },
): Promise<ChannelFigures | undefined> {
  const url = `${gateway}/v1/channels/${id}`
  return await fetchFree({ url, signal, timeoutMs, fetch }, async (response) => {
    if (response.status === 404) return undefined
    if (!response.ok) throw await apiError(response)
    return readChannelFigures(await readJson(response))
  })
}

async function close(options: ChannelActionsOptions, asked: Asked): Promise<ChannelFigures> {
  const first = await sendRefund(options, asked)
  const response = continues(asked.channel, first, options)
    ? await sendRefund(options, asked)
    : first
  if (!response.ok) throw await refused(response)
  const figures = readChannelFigures(await readJson(response))
  const { channel } = asked
  channel.giveBack(channel.book.rest())
  channel.book.adopt({ balance: figures.charged, next: figures.charged })
  channel.pausedUntil = Number.POSITIVE_INFINITY
  channel.pausedBy = closedByUs
  channel.save()
  await channel.saved()
  return figures
}

/** Whether the answer is a correction, which is adopted: then the request is worth repeating. */
function continues(
  channel: OpenChannel,
  { status, headers }: Response,
  { terms }: ChannelActionsOptions,
): boolean {
  const offer = status === 402 ? chooseChannelOffer(headers, terms) : undefined
  return offer?.stated !== undefined && channel.adopt(offer)
}

async function sendRefund(options: ChannelActionsOptions, asked: Asked): Promise<Response> {
  const { channel, offer, signal } = asked
  const max = channel.book.charged()
  const header = await options.sign.refund({ ...channel, offer, max, signal })
  return (await send(options, header, asked)).response
}

async function topUp(
  options: ChannelActionsOptions,
  asked: Asked,
  amount: Usdc,
): Promise<ChannelFigures> {
  const { channel, offer, signal } = asked
  await channel.saved()
  if (!(await channel.count(amount))) {
    throw new FareboxError(
      'spend_cap_exceeded',
      'The deposit exceeds what is left of the caps. Nothing was paid.',
    )
  }
  // The deposit is sent with a call that costs nothing.
  const hold = channel.book.hold(offer.amount)
  const header = await signDeposit(options.sign, { channel, offer, hold, signal }, amount)
  hold.end(0n)
  const { response } = await send(options, header, asked)
  const made = readChannelReceipt(response.headers)?.deposited ?? 0n
  if (made > 0n) channel.book.deposit(made)
  // Unless that is certain, the deposit stays counted.
  else if (response.status === 402) channel.giveBack(amount)
  channel.save()
  await channel.saved()
  if (!response.ok) throw await refused(response)
  return readChannelFigures(await readJson(response))
}

async function send(
  { gateway, fetch, patienceMs }: ChannelActionsOptions,
  header: string,
  { signal = new AbortController().signal }: ActionOptions,
): Promise<Decision> {
  const headers = { 'PAYMENT-SIGNATURE': header }
  const init = { headers, signal, redirect: 'manual' } as const
  return await repeatUntilDecided(async () => await fetch(`${gateway}/v1/channel`, init), {
    patienceMs,
    signal,
  })
}

async function refused(response: Response): Promise<FareboxError> {
  const error = await apiError(response)
  if (response.status !== 402) return error
  return new FareboxError('channel_refused', error.message, { status: 402 })
}
