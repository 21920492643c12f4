import type { ProviderName } from '@farebox/catalogs'
import type { createOpenAiCompatibleProvider, RequestLimits } from '@farebox/provider-proxy'
import type { SignIn } from './sign-in.ts'

/** A provider, as the doctor checks it. */
export type EnabledProvider = {
  readonly name: ProviderName
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  /** Authorizes requests without a key. */
  readonly signIn?: SignIn
  /** The query of its list of models. */
  readonly query?: string
}

/** A provider of chats that is connected, without a breaker. */
export type UnguardedChat = {
  readonly name: ProviderName
  readonly provider: ReturnType<typeof createOpenAiCompatibleProvider>
  readonly limits: RequestLimits
}
