import {
  type ConnectedChatProvider,
  type ConnectionOptions,
  createOpenAiCompatibleProvider,
  customProfile,
} from '../../src/index.ts'
import { closingAfterEach } from './closing.ts'
import { type Answerer, type ProviderServer, startProviderServer } from './provider-server.ts'

type Connected = { readonly server: ProviderServer; readonly provider: ConnectedChatProvider }

/** Providers, and servers of theirs that answer as the test says; all end with their test. */
export function connectedProviders() {
  const open = closingAfterEach()

  function connect(baseUrl: string, options: ConnectionOptions = {}): ConnectedChatProvider {
    const provider = createOpenAiCompatibleProvider({
      profile: customProfile,
      apiKey: 'sk-secret',
      baseUrl,
      random: () => 0,
      ...options,
      retry: { baseDelay: 1, ...options.retry },
    })
    open.push({ stop: () => provider.close() })
    return provider
  }

  async function setUp(answer: Answerer, options: ConnectionOptions = {}): Promise<Connected> {
    const server = await startProviderServer(answer)
    open.push(server)
    return { server, provider: connect(server.url, options) }
  }

  return { open, connect, setUp }
}
