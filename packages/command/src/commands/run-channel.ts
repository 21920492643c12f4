import {
  type ChannelFigures,
  createFareboxClient,
  type FareboxClient,
  type FareboxClientOptions,
  FareboxError,
} from '@farebox/client'
import { formatUsdc, publicAmount, type Usdc } from '@farebox/money'
import { usdcText } from '../show/usdc-text.ts'
import type { CommandContext, CommandIo } from '../terminal/command-io.ts'
import { writeResult } from '../terminal/write-result.ts'
import { chainTitle } from '../wallet/chain-title.ts'
import {
  type ChannelFile,
  type ChannelFileOptions,
  channelFile,
  type LockedChannelFile,
  lockChannelFile,
  slots,
  usedSlots,
} from '../wallet/channel-file.ts'
import { gatewayUrl, requireWallet, type WalletOptions } from '../wallet/find-wallet.ts'
import { notingFetch } from '../wallet/noting-fetch.ts'
import { accountOf } from '../wallet/open-purse.ts'
import { rememberingFetch } from '../wallet/remembering-fetch.ts'

export type ChannelAction = 'show' | 'top-up' | 'close'

export type ChannelCommand = {
  readonly action: ChannelAction
  /** With `top-up`. */
  readonly dollars: Usdc | undefined
}

/** `farebox channel`: the payment channels of the wallet at the gateway. */
export async function runChannel(
  { action, dollars }: ChannelCommand,
  { io, command }: CommandContext,
): Promise<void> {
  if (dollars !== undefined && action !== 'top-up') {
    throw new FareboxError('invalid_option', `\`farebox channel ${action}\` takes no amount.`)
  }
  const holder = await openHolder({ io, command })
  const { channels, problem } = await changed(holder, { action, dollars }, io)
  if (channels.length > 0) {
    writeResult(command, io, {
      json: channels.map(jsonOf),
      text: channels
        .map((channel) => channelLine(channel, holder.titleOf(channel.network)))
        .join('\n'),
    })
  }
  if (problem !== undefined) throw problem
  if (channels.length > 0) return
  throw new FareboxError(
    'nothing_found',
    `No payment channel of ${holder.files.address} at ${holder.url}: \`farebox proxy\` opens one after three calls, \`farebox channel top-up 0.50\` at once.`,
  )
}

type Changed = {
  readonly channels: readonly ChannelFigures[]
  /** Why a channel was not closed. */
  readonly problem?: FareboxError | undefined
}

async function changed(
  holder: Holder,
  { action, dollars }: ChannelCommand,
  io: CommandIo,
): Promise<Changed> {
  switch (action) {
    case 'show':
      return { channels: await showAll(holder, io) }
    case 'top-up':
      return { channels: [await topUp(holder, dollars, io)] }
    case 'close':
      return await closeAll(holder, io)
  }
}

/** The wallet that holds the channels, and the gateway. */
type Holder = {
  readonly url: string
  /** What a chain is called, by its CAIP-2 id. */
  titleOf(id: string): string
  readonly files: ChannelFileOptions
  clientOf(file: ChannelFile): FareboxClient
  /** Whether a request with a signature was sent. */
  hasSent(): boolean
}

async function openHolder({ io, command }: CommandContext): Promise<Holder> {
  const options = command.optsWithGlobals<WalletOptions & { readonly maxUsdTotal?: Usdc }>()
  const { privateKey, devnetRpcUrl } = await requireWallet(options, io)
  const account = await accountOf(privateKey)
  const url = gatewayUrl(options, io)
  const { maxUsdTotal: maxTotal } = options
  const send = rememberingFetch(notingFetch(io), url, io)
  let isSent = false
  const common: FareboxClientOptions = {
    baseUrl: url,
    account,
    async fetch(input, init) {
      isSent ||= new Headers(init?.headers).has('payment-signature')
      return await send(input, init)
    },
    ...(devnetRpcUrl !== undefined && { networks: ['base-sepolia'] }),
    ...(maxTotal !== undefined && { maxTotal }),
  }
  return {
    url,
    titleOf: (id) => chainTitle(id, devnetRpcUrl),
    files: { address: account.address, environment: io.environment },
    clientOf: ({ store, salt }) => createFareboxClient({ ...common, channel: { store, salt } }),
    hasSent: () => isSent,
  }
}

/**
 * The slots with a file, and those whose file was lost but whose channel the gateway has. Slots are
 * taken in order: after the last one with a file, the first without a channel at the gateway is new.
 */
async function heldSlots(
  { files, clientOf }: Holder,
  { signal }: CommandIo,
): Promise<readonly number[]> {
  const used = await usedSlots(files)
  const held = new Set(used)
  for (let slot = 0; slot < slots; slot += 1) {
    if (held.has(slot)) continue
    const client = clientOf(channelFile(slot, files))
    const channel = await client.channel({ signal }).catch(noneIfNotOffered)
    if (channel !== undefined) held.add(slot)
    else if (slot > Math.max(-1, ...used)) break
  }
  return [...held].sort((a, b) => a - b)
}

function noneIfNotOffered(error: unknown): undefined {
  if (!(error instanceof FareboxError) || error.code !== 'channel_unavailable') throw error
}

async function showAll(holder: Holder, io: CommandIo): Promise<readonly ChannelFigures[]> {
  const { files, clientOf } = holder
  const { signal } = io
  const held = await heldSlots(holder, io)
  const channels = await Promise.all(
    held.map(async (slot) => await clientOf(channelFile(slot, files)).channel({ signal })),
  )
  return channels.filter((channel) => channel !== undefined)
}

async function topUp(
  { files, clientOf, hasSent }: Holder,
  dollars: Usdc | undefined,
  { signal, note }: CommandIo,
): Promise<ChannelFigures> {
  if (dollars === undefined) {
    throw new FareboxError('invalid_option', 'The amount is missing: farebox channel top-up 0.50')
  }
  const file = await fileToTopUp(files)
  try {
    return await clientOf(file).topUp(dollars, { signal })
  } catch (error) {
    if (signal.aborted && hasSent()) {
      const deposit = `The deposit of ${usd(dollars)} was sent.`
      note(`\n${deposit} \`farebox channel\` shows whether it arrived.`)
    }
    throw error
  } finally {
    await file.release()
  }
}

/** The first channel that no process pays from; never a new one, which no process would use. */
async function fileToTopUp(files: ChannelFileOptions): Promise<LockedChannelFile> {
  const used = await usedSlots(files)
  for (const slot of used.length === 0 ? [0] : used) {
    const file = await lockChannelFile(slot, files)
    if (file !== undefined) return file
  }
  throw inUse('top up')
}

/** Continues with the other channels if one cannot be closed. */
async function closeAll(holder: Holder, io: CommandIo): Promise<Changed> {
  const channels: ChannelFigures[] = []
  const problems: FareboxError[] = []
  for (const slot of await heldSlots(holder, io)) {
    try {
      const channel = await closeSlot(holder, slot, io)
      if (channel !== undefined) channels.push(channel)
    } catch (error) {
      if (!(error instanceof FareboxError)) throw error
      problems.push(error)
    }
  }
  return { channels, problem: problems[0] }
}

function inUse(action: 'close' | 'top up'): FareboxError {
  return new FareboxError(
    'channel_in_use',
    `A running farebox proxy or mcp pays from the channel. Stop it, then ${action} the channel.`,
  )
}

async function closeSlot(
  { files, clientOf }: Holder,
  slot: number,
  { signal }: CommandIo,
): Promise<ChannelFigures | undefined> {
  const file = await lockChannelFile(slot, files)
  if (file === undefined) throw inUse('close')
  try {
    const client = clientOf(file)
    const channel = await client.channel({ signal })
    return channel?.status === 'open' && channel.rest > 0n
      ? await client.closeChannel({ signal })
      : channel
  } finally {
    await file.release()
  }
}

function channelLine(channel: ChannelFigures, chain: string): string {
  const { id, status, rest, deposited, returned, charged } = channel
  const left = status === 'closing' ? 'is being returned' : 'left'
  const back = returned > 0n ? `, ${usd(returned)} returned` : ''
  return `${id}  ${status} on ${chain}: ${usd(rest)} ${left}, ${usd(charged)} spent, ${usd(deposited)} deposited${back}`
}

function usd(amount: Usdc): string {
  return usdcText(formatUsdc(amount))
}

function jsonOf(channel: ChannelFigures): unknown {
  const { deposited, returned, charged, reserved, rest, withdrawAt, ...facts } = channel
  return {
    ...facts,
    deposited: publicAmount(deposited),
    returned: publicAmount(returned),
    charged: publicAmount(charged),
    reserved: publicAmount(reserved),
    rest: publicAmount(rest),
    withdrawAt: withdrawAt ?? null,
  }
}
