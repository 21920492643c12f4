import { type Sandbox, type SandboxOptions, startSandbox } from '@farebox/devnet/sandbox'
import {
  type ConnectedChatProvider,
  type ConnectionOptions,
  createOpenAiCompatibleProvider,
  sandboxProfile,
} from '../../src/index.ts'

export type SandboxProvider = {
  readonly sandbox: Sandbox
  readonly provider: ConnectedChatProvider
  stop(): Promise<void>
}

/** A sandbox of that pace, and a provider that calls it. */
export async function startSandboxProvider(
  pace: Required<SandboxOptions>['pace'],
  options: ConnectionOptions = {},
): Promise<SandboxProvider> {
  const sandbox = await startSandbox({ pace })
  const baseUrl = sandbox.chatBaseUrl
  const provider = createOpenAiCompatibleProvider({ profile: sandboxProfile, baseUrl, ...options })
  return {
    sandbox,
    provider,
    async stop() {
      await provider.close()
      await sandbox.stop()
    },
  }
}
