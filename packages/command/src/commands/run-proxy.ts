import { formatDecimal } from '@farebox/money'
import { localKey } from '../local/local-key.ts'
import { startProxy } from '../proxy/start-proxy.ts'
import { modelAndCost } from '../show/model-and-cost.ts'
import { unnamedPayment } from '../show/unnamed-payment.ts'
import { type CommandContext, type CommandIo, colored } from '../terminal/command-io.ts'
import { printable } from '../terminal/printable.ts'
import { requireWallet } from '../wallet/find-wallet.ts'
import { openPurse, type Purse, type PurseOptions } from '../wallet/open-purse.ts'
import { untilInterrupted } from './until-interrupted.ts'

export type LocalOptions = {
  readonly port: number
  /** `false` with `--no-key`. */
  readonly key: boolean
  readonly allowOrigin?: readonly string[]
}

/** `farebox proxy`: an address on this machine that pays for the calls of any app. */
export async function runProxy({ io, command }: CommandContext): Promise<void> {
  await requireWallet(command.optsWithGlobals<PurseOptions>(), io)
  const purse = await openPurse(command, io)
  try {
    await serve(purse, command.optsWithGlobals<LocalOptions>(), io)
  } finally {
    await purse.close()
  }
}

async function serve(purse: Purse, options: LocalOptions, io: CommandIo): Promise<void> {
  const key = options.key ? await localKey(io) : undefined
  const server = await startProxy({
    client: purse.client,
    port: options.port,
    key,
    allowedOrigins: options.allowOrigin ?? [],
    events: {
      paid: async (paymentId) => await notePayment(purse, paymentId, io),
      refused: (code, message) => io.note(colored(io, 'yellow', `${code}: ${message}`)),
    },
  })
  io.write(`${greeting(server.url, key, purse)}\n`)
  await untilInterrupted(server, io.signal)
}

function greeting(url: string, key: string | undefined, { client }: Purse): string {
  const apiKey = key ?? 'any'
  return `${url} pays from ${client.address}. Ctrl-C stops it.
  OpenAI     base URL ${url}/v1, API key ${apiKey}
  Anthropic  ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=${apiKey}`
}

/** One line per call: what it cost, and what all calls have cost so far. */
async function notePayment(
  purse: Purse,
  paymentId: string | undefined,
  io: CommandIo,
): Promise<void> {
  const { client } = purse
  if (paymentId === undefined) return io.note(`${unnamedPayment} ${totalOf(client)}`)
  await purse.remember(paymentId)
  const call = await modelAndCost(client, paymentId)
  io.note(printable([...call, totalOf(client), paymentId].join(', ')))
}

function totalOf({ spent }: Purse['client']): string {
  return `${formatDecimal(spent(), 6)} USDC so far`
}
