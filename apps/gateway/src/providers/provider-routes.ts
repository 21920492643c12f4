import type { ChatModel, ImageModel, ProviderName, UpstreamRoute } from '@farebox/catalogs'
import type { ChatProvider, ImageProvider, RequestLimits } from '@farebox/provider-proxy'

/** False while a provider's breaker is open. */
type Available = { readonly available: (upstreamModel?: string) => boolean }

export type ChatRoute = {
  readonly provider: ChatProvider & Available
  readonly upstreamModel: string
  /** What cannot go this way. */
  readonly limits: RequestLimits
}

/** Fields of an image request that not every provider takes. */
export type ImageField = 'negativePrompt' | 'seed'

export type ImageRoute = {
  readonly provider: ImageProvider & Available
  readonly upstreamModel: string
  /** What cannot go this way. */
  readonly unsupported: readonly ImageField[]
}

/** The providers that are on, and the way to each model through them. */
export type ProviderSet = {
  chatRoute(model: ChatModel): ChatRoute | undefined
  imageRoute(model: ImageModel): ImageRoute | undefined
  readonly names: readonly ProviderName[]
  close(): Promise<void>
}

export type ConnectedChat = {
  readonly name: ProviderName
  readonly provider: ChatProvider & Available
  readonly limits: RequestLimits
}

export type ConnectedImages = {
  readonly name: ProviderName
  readonly provider: ImageProvider & Available
  readonly unsupported: readonly ImageField[]
}

export type ProviderSetOptions = {
  readonly chat: readonly ConnectedChat[]
  readonly images: readonly ConnectedImages[]
  readonly close: () => Promise<void>
}

/** Routes models to the providers that are on, in the order of the model's own routes. */
export function createProviderSet({ chat, images, close }: ProviderSetOptions): ProviderSet {
  const chatByName = new Map(chat.map((entry) => [entry.name, entry]))
  const imagesByName = new Map(images.map((entry) => [entry.name, entry]))
  return {
    chatRoute: (model) => {
      const way = firstOpen(model, chatByName)
      if (way === undefined) return undefined
      const { entry, route } = way
      return {
        provider: entry.provider,
        upstreamModel: route.model,
        limits: {
          ...entry.limits,
          unsupported: [...entry.limits.unsupported, ...(route.lacks ?? [])],
        },
      }
    },
    imageRoute: (model) => {
      const way = firstOpen(model, imagesByName)
      if (way === undefined) return undefined
      const { provider, unsupported } = way.entry
      return { provider, unsupported, upstreamModel: way.route.model }
    },
    names: [...new Set([...chatByName.keys(), ...imagesByName.keys()])],
    close,
  }
}

/** The sandbox plays every model, after all others. */
function firstOpen<Entry>(
  model: ChatModel | ImageModel,
  entries: ReadonlyMap<ProviderName, Entry>,
): { readonly entry: Entry; readonly route: UpstreamRoute } | undefined {
  const routes: readonly UpstreamRoute[] = [
    ...model.routes,
    { provider: 'sandbox', model: model.id },
  ]
  for (const route of routes) {
    const entry = entries.get(route.provider)
    if (entry !== undefined) return { entry, route }
  }
  return undefined
}
