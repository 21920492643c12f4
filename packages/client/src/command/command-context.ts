import type { Usdc } from '@farebox/money'
import { parseUsdc } from '@farebox/money'
import type { Command } from 'commander'
import { createFareboxClient, type FareboxClient } from '../create-farebox-client.ts'
import { readKey } from './read-key.ts'

/** The command's environment and output, passed in so that tests can supply their own. */
export type CommandIo = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Writes results. */
  write(text: string): void
  /** Writes what concerns the payment, separately from the results. */
  note(text: string): void
  readonly signal: AbortSignal
}

export type GlobalOptions = {
  readonly url?: string
  readonly keyFile?: string
  readonly maxUsd?: string
  readonly json?: true
}

/** Creates the client that the options and the environment configure. */
export async function clientFor(command: Command, io: CommandIo): Promise<FareboxClient> {
  const options = command.optsWithGlobals<GlobalOptions>()
  const privateKey = await readKey({
    keyFile: options.keyFile,
    environmentKey: io.environment['FAREBOX_PRIVATE_KEY'],
  })
  const cap: Usdc | undefined = options.maxUsd === undefined ? undefined : parseUsdc(options.maxUsd)
  return createFareboxClient({
    baseUrl: options.url ?? io.environment['FAREBOX_URL'] ?? 'http://127.0.0.1:4020',
    ...(privateKey !== undefined && { privateKey }),
    ...(cap !== undefined && { maxAmountPerCall: cap, maxTotal: cap }),
  })
}

/** Writes a result as JSON if `--json` is given, otherwise as `text`. */
export function writeResult(
  command: Command,
  io: CommandIo,
  result: { readonly json: unknown; readonly text: string },
): void {
  const { json } = command.optsWithGlobals<GlobalOptions>()
  io.write(json === true ? `${JSON.stringify(result.json, undefined, 2)}\n` : `${result.text}\n`)
}
