import { randomBytes } from 'node:crypto'
import { openResources, type ResourceStack } from '@farebox/http'
import { paymentNetwork } from '@farebox/payments'
import { createChainReader, signingAddress } from '@farebox/payments/chain'
import { openRunningChain } from '../chain/open-running-chain.ts'
import { readBeginning } from '../chain/read-beginning.ts'
import { refuseOtherTreasury } from '../chain/refuse-other-treasury.ts'
import { openExistingStore } from '../compose/open-store.ts'
import { openStartingServer } from '../routes/starting-server.ts'
import type { Config } from '../settings.ts'
import { createAccess } from './access.ts'
import { consoleApp } from './console-app.ts'

export type RunningConsole = {
  readonly url: string
  /** Opens one session, within ten minutes. */
  readonly loginUrl: string
  readonly token: string
  readonly stop: () => Promise<void>
}

/** Serves the operator's console until it is stopped. What was opened is closed if the start fails. */
export async function startConsole(config: Config): Promise<RunningConsole> {
  return await openResources(
    (stack) => start(config, stack),
    (fault) => process.emitWarning(`The console could not be closed: ${String(fault)}`),
  )
}

async function start(config: Config, stack: ResourceStack): Promise<RunningConsole> {
  const { CONSOLE_HOST: host, CONSOLE_PORT: port } = config
  const server = await openStartingServer({ HOST: host, PORT: port })
  stack.adopt(server, (opened) => opened.close())
  // The ledger first: in a folder without one, a new devnet would start and leave its files.
  const store = stack.adopt(await openExistingStore(config), (ledger) => ledger.close())
  const chain = stack.adopt(await openRunningChain(config), (access) => access.close())
  const { payees } = await readBeginning(store)
  refuseOtherTreasury(payees, signingAddress(chain.treasuryKey))
  const token = config.CONSOLE_TOKEN ?? randomBytes(24).toString('base64url')
  const access = createAccess(token, Date.now)
  const { treasuryKey, relayerKey, rpcUrl } = chain
  const app = consoleApp({
    store,
    access,
    hosts: [host, ...config.CONSOLE_ALLOWED_HOSTS],
    chain: createChainReader({ rpcUrl }),
    network: paymentNetwork(config.NETWORK),
    treasury: signingAddress(treasuryKey),
    relayer: relayerKey && signingAddress(relayerKey),
    gatewayUrl: config.CONSOLE_GATEWAY_URL ?? `http://127.0.0.1:${config.PORT}`,
    dollarsPerEther: BigInt(config.USD_PER_ETH),
    now: Date.now,
  })
  // Adopted again, so that it is closed before the ledger and the chain that its requests need.
  stack.adopt(server, (opened) => opened.close())
  server.serve(app)
  const { url } = server
  const loginUrl = `${url}/login?code=${access.issueCode()}`
  return { url, loginUrl, token, stop: stack.disposeAsync }
}
