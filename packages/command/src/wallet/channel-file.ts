import { open, readdir, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ChannelStore, FareboxError, type StoredChannel } from '@farebox/client'
import { z } from 'zod'
import type { CommandIo } from '../terminal/command-io.ts'
import { readState } from '../terminal/read-state.ts'
import { statePath } from '../terminal/state-path.ts'
import { writeState } from '../terminal/write-state.ts'
import { lockFile } from './lock-file.ts'
import { parseJson } from './parse-json.ts'

type Hex = `0x${string}`

/** The channels of one wallet that one process uses: their file, and the salt that they share. */
export type ChannelFile = {
  readonly store: ChannelStore
  readonly salt: Hex
  /** Resolves when all that was given to the store is saved. */
  saved(): Promise<void>
}

/** A channel file that no other process uses until it is released. */
export type LockedChannelFile = ChannelFile & { release(): Promise<void> }

export type ChannelFileOptions = {
  /** The paying address. */
  readonly address: Hex
  readonly environment: CommandIo['environment']
}

/** How many processes can pay from channels of one wallet at the same time. */
export const slots = 16

/** Opens the first channel file that no other process uses: each has its own channels. */
export async function openChannelFile(options: ChannelFileOptions): Promise<LockedChannelFile> {
  for (let slot = 0; slot < slots; slot += 1) {
    const file = await lockChannelFile(slot, options)
    if (file !== undefined) return file
  }
  throw new FareboxError(
    'channel_in_use',
    `${slots} processes already pay from channels of ${options.address}. Use --no-channel to pay without one.`,
  )
}

/** Opens the channel file of a slot; `undefined` while another process uses it. */
export async function lockChannelFile(
  slot: number,
  options: ChannelFileOptions,
): Promise<LockedChannelFile | undefined> {
  const path = pathOf(slot, options)
  const lock = await writeState(`${path}.lock`, lockFile)
  if (lock === undefined) return undefined
  const file = channelFile(slot, options)
  let isReleased = false
  return {
    ...file,
    store: {
      load: file.store.load,
      // The cost of a call may be known only now, when another process may use the file. That process
      // reads it from the gateway.
      save: async (channel) => (isReleased ? undefined : await file.store.save(channel)),
    },
    async release() {
      isReleased = true
      await file.saved()
      await lock.release()
    },
  }
}

/** The channel file of a slot, for reading. */
export function channelFile(slot: number, options: ChannelFileOptions): ChannelFile {
  const path = pathOf(slot, options)
  let last: Promise<void> = Promise.resolve()
  return {
    saved: async () => await last,
    salt: `0x${slot.toString(16).padStart(64, '0')}`,
    store: {
      load: async (id) => (await readChannels(path)).find((channel) => channel.id === id),
      async save(channel) {
        const saving = last.then(async () => await replaceChannel(path, channel))
        last = saving.catch(() => undefined)
        await saving
      },
    },
  }
}

/** The slots that this wallet has used. */
export async function usedSlots(options: ChannelFileOptions): Promise<readonly number[]> {
  const names =
    (await readState(dirname(pathOf(0, options)), async (path) => await readdir(path))) ?? []
  const all = Array.from({ length: slots }, (_, slot) => slot)
  return all.filter((slot) => names.includes(nameOf(slot, options)))
}

function nameOf(slot: number, { address }: ChannelFileOptions): string {
  return `${address.toLowerCase()}-${slot}.json`
}

function pathOf(slot: number, options: ChannelFileOptions): string {
  return join(statePath('channels', options.environment), nameOf(slot, options))
}

const hexOf = (bytes: number) =>
  z.templateLiteral(['0x', z.string().regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`))])
const digits = z.string().regex(/^\d{1,38}$/)
const channelsSchema: z.ZodType<readonly StoredChannel[]> = z.array(
  z.object({
    id: hexOf(32),
    gateway: z.string(),
    network: z.string(),
    config: z.object({
      payer: hexOf(20),
      payerAuthorizer: hexOf(20),
      receiver: hexOf(20),
      receiverAuthorizer: hexOf(20),
      token: hexOf(20),
      withdrawDelay: z.int(),
      salt: hexOf(32),
    }),
    balance: digits,
    charged: digits,
  }),
)

async function readChannels(path: string): Promise<readonly StoredChannel[]> {
  const text = await readState(path, async () => await readFile(path, 'utf8'))
  if (text === undefined) return []
  const parsed = channelsSchema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  throw new FareboxError(
    'channel_store_failed',
    `${path} is damaged. Remove it: the state of its channels is recovered from the gateway.`,
  )
}

/** The new file takes the place of the old one when it is complete on the disk. */
async function replaceChannel(path: string, channel: StoredChannel): Promise<void> {
  const others = (await readChannels(path)).filter(({ id }) => id !== channel.id)
  const next = `${path}.next`
  const file = await open(next, 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify([...others, channel], undefined, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(next, path)
}
