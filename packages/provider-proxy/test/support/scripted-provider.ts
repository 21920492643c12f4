import type { ConnectedChatProvider } from '../../src/index.ts'
import { openEvents, type ProviderServer, startProviderServer } from './provider-server.ts'

export type ScriptedProvider = {
  readonly server: ProviderServer
  readonly provider: ConnectedChatProvider
}

/** Opens providers whose server answers each call with the given events. */
export function scriptedProviders(
  connect: (serverUrl: string) => ConnectedChatProvider,
  open: { stop(): Promise<void> }[],
): (events: string) => Promise<ScriptedProvider> {
  return async (events) => {
    const server = await startProviderServer((response) => {
      openEvents(response)
      response.end(events)
    })
    const provider = connect(server.url)
    open.push({ stop: () => provider.close() }, server)
    return { server, provider }
  }
}
