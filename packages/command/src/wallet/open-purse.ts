import {
  type ChannelUnused,
  createFareboxClient,
  type FareboxClient,
  type FareboxClientOptions,
} from '@farebox/client'
import { parseUsdc, type Usdc } from '@farebox/money'
import type { Command } from 'commander'
import { type CommandIo, colored } from '../terminal/command-io.ts'
import { chainTitle } from './chain-title.ts'
import { type ChannelFile, openChannelFile } from './channel-file.ts'
import { findWallet, gatewayUrl, type WalletOptions } from './find-wallet.ts'
import { noteDeposits } from './note-deposits.ts'
import { notingFetch } from './noting-fetch.ts'
import { rememberOrNote } from './payment-history.ts'
import { rememberingFetch } from './remembering-fetch.ts'

export type PurseOptions = WalletOptions & {
  readonly maxUsdPerCall?: Usdc
  readonly maxUsdPerHour?: Usdc
  readonly maxUsdTotal?: Usdc
  /** Pays from a payment channel; the long-running commands offer it. */
  readonly channel?: boolean
  readonly channelDeposit?: Usdc
}

/** A client with the caps and the wallet of the command line. */
export type Purse = {
  readonly client: FareboxClient
  readonly url: string
  /** The highest price of one call. */
  readonly maxPerCall: Usdc
  /**
   * Whether the payer belongs to a devnet, where refunds take a moment and commands wait for them.
   */
  readonly isDevnet: boolean
  /** What a chain is called, by its CAIP-2 id. */
  titleOf(id: string): string
  /** Remembers a payment for `farebox payments`. */
  remember(paymentId: string): Promise<void>
  /** Why a payment channel does not pay; each reason is taken once. */
  takeNotes(): readonly string[]
  /** Releases the channels for other processes. */
  close(): Promise<void>
}

/** Opens the purse of the options and the environment. Without a key only free calls work. */
export async function openPurse(command: Command, io: CommandIo): Promise<Purse> {
  const options = command.optsWithGlobals<PurseOptions>()
  const url = gatewayUrl(options, io)
  const wallet = await findWallet(options, io)
  const account = wallet && (await accountOf(wallet.privateKey))
  const channels =
    account && options.channel === true
      ? await openChannelFile({ address: account.address, environment: io.environment })
      : undefined
  const notes = new Map<ChannelUnused['reason'], string>()
  const onUnused = ({ reason, message }: ChannelUnused): void => {
    io.note(colored(io, 'yellow', message))
    notes.set(reason, message)
  }
  const maxPerCall = options.maxUsdPerCall ?? parseUsdc('0.1')
  const client = createFareboxClient({
    baseUrl: url,
    maxAmountPerCall: maxPerCall,
    fetch: rememberingFetch(notingFetch(io), url, io),
    ...(account && { account }),
    ...(channels && { channel: { ...channelOptions(channels, options, io), onUnused } }),
    ...(wallet?.devnetRpcUrl !== undefined && { networks: ['base-sepolia'] }),
    ...(options.maxUsdPerHour !== undefined && { maxAmountPerHour: options.maxUsdPerHour }),
    ...(options.maxUsdTotal !== undefined && { maxTotal: options.maxUsdTotal }),
  })
  return {
    client,
    url,
    maxPerCall,
    isDevnet: wallet?.devnetRpcUrl !== undefined,
    titleOf: (id) => chainTitle(id, wallet?.devnetRpcUrl),
    remember: async (id) => await rememberOrNote({ url, id, at: new Date().toISOString() }, io),
    takeNotes() {
      const taken = [...notes.values()]
      notes.clear()
      return taken
    },
    close: async () => await channels?.release(),
  }
}

function channelOptions(
  { store, salt }: ChannelFile,
  { channelDeposit }: PurseOptions,
  io: CommandIo,
): NonNullable<FareboxClientOptions['channel']> {
  const noted = noteDeposits(store, (text) => io.note(text))
  return {
    store: noted,
    salt,
    ...(channelDeposit !== undefined && { deposit: channelDeposit }),
  }
}

/** Loaded only when something is paid, because it takes most of the start-up time. */
export async function accountOf(
  privateKey: `0x${string}`,
): Promise<NonNullable<FareboxClientOptions['account']>> {
  const { privateKeyToAccount } = await import('viem/accounts')
  return privateKeyToAccount(privateKey)
}
