import type { ChatModel, ImageModel, ProviderName, UpstreamRoute } from '@farebox/catalogs'
import type { ChatProvider, ImageProvider, RequestLimits } from '@farebox/provider-proxy'

/** False while a provider's breaker is open. */
type Available = { readonly available: (upstreamModel?: string) => boolean }

export type ChatRoute = {
  readonly provider: ChatProvider & Available
  readonly upstreamModel: string
  /** Fields and features that this route does not support. */
  readonly limits: RequestLimits
}

/** Fields of an image request that some providers do not support. */
export type ImageField = 'negativePrompt' | 'seed'

export type ImageRoute = {
  readonly provider: ImageProvider & Available
  readonly upstreamModel: string
  /** Fields and features that this route does not support. */
  readonly unsupported: readonly ImageField[]
}

/** The enabled providers, and their routes to each model. */
export type ProviderRoutes = {
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

export type ProviderRoutesOptions = {
  readonly chat: readonly ConnectedChat[]
  readonly images: readonly ConnectedImages[]
  readonly close: () => Promise<void>
}

/** Routes models to the enabled providers, in the order of the model's routes. */
export function createProviderRoutes({
  chat,
  images,
  close,
}: ProviderRoutesOptions): ProviderRoutes {
  const chatByName = new Map(chat.map((entry) => [entry.name, entry]))
  const imagesByName = new Map(images.map((entry) => [entry.name, entry]))
  return {
    chatRoute: (model) => {
      const match = firstEnabled(model, chatByName)
      if (match === undefined) return undefined
      const { entry, route } = match
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
      const match = firstEnabled(model, imagesByName)
      if (match === undefined) return undefined
      const { provider, unsupported } = match.entry
      return { provider, unsupported, upstreamModel: match.route.model }
    },
    names: [...new Set([...chatByName.keys(), ...imagesByName.keys()])],
    close,
  }
}

/** The first route whose provider is enabled. The sandbox serves every model, as a last resort. */
function firstEnabled<Entry>(
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
