import {
  type ConnectedChatProvider,
  type ConnectionOptions,
  createOpenAiCompatibleProvider,
  customProfile,
} from '../../src/index.ts'
import { closingAfterEach } from './closing.ts'
import { type ProviderServer, type Responder, startProviderServer } from './provider-server.ts'

type Connected = { readonly server: ProviderServer; readonly provider: ConnectedChatProvider }

/** Providers with servers that respond as the test defines; all are closed with their test. */
export function connectedProviders() {
  const open = closingAfterEach()

  function connect(baseUrl: string, options: ConnectionOptions = {}): ConnectedChatProvider {
    const provider = createOpenAiCompatibleProvider({
      profile: customProfile,
      apiKey: 'sk-secret',
      baseUrl,
      random: () => 0,
      ...options,
      retry: { baseDelayMs: 1, ...options.retry },
    })
    open.push({ stop: () => provider.close() })
    return provider
  }

  async function setUp(respond: Responder, options: ConnectionOptions = {}): Promise<Connected> {
    const server = await startProviderServer(respond)
    open.push(server)
    return { server, provider: connect(server.url, options) }
  }

  return { open, connect, setUp }
}
