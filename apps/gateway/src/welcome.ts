import type { DevnetFile } from '@farebox/devnet'
import type { Config } from './settings.ts'

type Welcome = {
  readonly url: string
  readonly config: Config
  readonly devnet: DevnetFile
  readonly chatModel: string
}

/** The command finds a gateway at the default address, and the payer of the default folder. */
function payingCommand(url: string, { DATA_DIR }: Config): string {
  const flags = [
    ...(url === 'http://127.0.0.1:4020' ? [] : ['--url', url]),
    ...(DATA_DIR === '.farebox' ? [] : ['--key-file', `${DATA_DIR}/devnet.json`]),
  ]
  return ['npm run farebox -s -- chat "Hello"', ...flags].join(' ')
}

/** Instructions for trying out a devnet gateway that has just started. */
export function welcomeText({ url, config, devnet, chatModel }: Welcome): string {
  const [payer] = devnet.payers
  return `
Farebox is ready: ${url}
  docs        ${url}/docs
  chain       ${devnet.rpcUrl} (devnet, chain id ${devnet.chainId}; test USDC, worth nothing)
  demo payer  ${payer?.address ?? 'none'} holds test USDC; keys in ${config.DATA_DIR}/devnet.json

See a price:
  curl -s ${url}/v1/chat/completions -H 'content-type: application/json' \\
    -d '{"model":"${chatModel}","messages":[{"role":"user","content":"Hello"}],"max_tokens":64}'

Pay it, in another terminal:
  ${payingCommand(url, config)}

Press Ctrl-C to stop.
`
}
