import { FareboxError } from '@farebox/client'
import manifest from '../../package.json' with { type: 'json' }
import { localKey } from '../local/local-key.ts'
import type { McpOptions } from '../mcp/farebox-mcp-server.ts'
import { serveStdio } from '../mcp/serve-stdio.ts'
import { startMcpHttp } from '../mcp/start-mcp-http.ts'
import type { CommandContext, CommandIo } from '../terminal/command-io.ts'
import { requireWallet } from '../wallet/find-wallet.ts'
import { openPurse, type PurseOptions } from '../wallet/open-purse.ts'
import type { LocalOptions } from './run-proxy.ts'
import { untilInterrupted } from './until-interrupted.ts'

type Options = LocalOptions & PurseOptions & { readonly http?: true }

/** `farebox mcp`: the gateway as the tools of an agent, over standard input and output, or HTTP. */
export async function runMcp({ io, command }: CommandContext): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const isGiven = (option: string): boolean => command.getOptionValueSource(option) === 'cli'
  if (options.http !== true && ['port', 'key', 'allowOrigin'].some(isGiven)) {
    throw new FareboxError('invalid_option', '--port, --no-key and --allow-origin need --http.')
  }
  await requireWallet(options, io)
  const purse = await openPurse(command, io)
  const { client, remember, takeNotes } = purse
  const tools: McpOptions = { client, version: manifest.version, paid: remember, takeNotes }
  try {
    if (options.http === true) await serveHttp(tools, options, io)
    else await serveStdio(tools, io.signal)
  } finally {
    await purse.close()
  }
}

async function serveHttp(tools: McpOptions, options: LocalOptions, io: CommandIo): Promise<void> {
  const key = options.key ? await localKey(io) : undefined
  const server = await startMcpHttp({
    ...tools,
    port: options.port,
    key,
    allowedOrigins: options.allowOrigin ?? [],
  })
  const header = key === undefined ? '' : ` with the header Authorization: Bearer ${key}`
  io.write(`${server.url}/mcp${header} pays from ${tools.client.address}. Ctrl-C stops it.\n`)
  await untilInterrupted(server, io.signal)
}
