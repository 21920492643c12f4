import type { DevnetFile } from '@farebox/devnet'
import { enabledProviders } from './providers/compose-providers.ts'
import type { Config } from './settings.ts'

type Welcome = {
  readonly url: string
  readonly config: Config
  readonly rpcUrl: string
  readonly devnet: DevnetFile
  readonly chatModel: string | undefined
}

/** The command finds a gateway at the default address, and the payer of the default folder. */
function payingCommand(url: string, { DATA_DIR }: Config): string {
  const flags = [
    ...(url === 'http://127.0.0.1:4020' ? [] : ['--url', url]),
    ...(DATA_DIR === '.farebox' ? [] : ['--key-file', `${DATA_DIR}/devnet.json`]),
  ]
  return ['npm run farebox -s -- chat "Hello"', ...flags].join(' ')
}

/** A request without a payment, which shows the price, and the command that pays it. */
function firstSale(chatModel: string, { url, config }: Welcome): string {
  return `See a price:
  curl -s ${url}/v1/chat/completions -H 'content-type: application/json' \\
    -d '{"model":"${chatModel}","messages":[{"role":"user","content":"Hello"}],"max_tokens":64}'

Pay it, in another terminal:
  ${payingCommand(url, config)}`
}

/** Clouds and own servers need routes: no shipped model has one to them. */
function nothingSold(config: Config): string {
  const names = enabledProviders(config).map(({ name }) => name)
  const others = 'the key of a provider, such as OPENROUTER_API_KEY, or SANDBOX_PROVIDER=on.'
  return names.length === 0
    ? `No chat model is sold. Set ${others}`
    : `No chat model is sold: none has a route to ${names.join(' or ')}. Add routes in CATALOG_OVERRIDES, as docs/catalog.md shows, or set ${others}`
}

/** Instructions for trying out a devnet gateway that has just started. */
export function welcomeText(welcome: Welcome): string {
  const { url, config, rpcUrl, devnet, chatModel } = welcome
  const [payer] = devnet.payers
  // A node's URL may hold a password.
  const { origin } = new URL(rpcUrl)
  return `
Farebox is ready: ${url}
  docs        ${url}/docs
  chain       ${origin} (devnet, chain id ${devnet.chainId}; test USDC, worth nothing)
  demo payer  ${payer?.address ?? 'none'} holds test USDC; keys in ${config.DATA_DIR}/devnet.json

${chatModel === undefined ? nothingSold(config) : firstSale(chatModel, welcome)}

Press Ctrl-C to stop.
`
}
