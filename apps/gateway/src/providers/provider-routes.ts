import type { ProviderState } from '@farebox/api'
import {
  type ChatModel,
  type ImageModel,
  type ProviderName,
  providerNames,
  type RateText,
  type UpstreamRoute,
} from '@farebox/catalogs'
import type { ChatProvider, Guard, ImageProvider, RequestLimits } from '@farebox/provider-proxy'

/** A way to a model. */
export type ChatRoute = {
  readonly name: ProviderName
  readonly provider: ChatProvider & Guard
  readonly upstreamModel: string
  /** The price on this route, if it is lower than the model's. */
  readonly price?: RateText
  /** Fields and features that this route does not support. */
  readonly limits: RequestLimits
}

/** Fields of an image request that some providers do not support. */
export type ImageField = 'negativePrompt' | 'seed'

export type ImageRoute = {
  readonly provider: ImageProvider & Guard
  readonly upstreamModel: string
  /** Fields that this route does not support. */
  readonly unsupported: readonly ImageField[]
}

/** The enabled providers, and their routes to each model. */
export type ProviderRoutes = {
  /** In order of preference; empty if no provider of the model is enabled. */
  chatRoutes(model: ChatModel): readonly ChatRoute[]
  imageRoute(model: ImageModel): ImageRoute | undefined
  /** The names of providers that a request may use: all that exist, and those that are enabled. */
  readonly names: { readonly known: ReadonlySet<string>; readonly enabled: ReadonlySet<string> }
  /** The state of each enabled provider; the worse one where it serves chats and images. */
  states(): ReadonlyMap<string, ProviderState>
  /** Whether a model has routes, and the breakers of all of them are open. */
  isUnavailable(model: ChatModel | ImageModel): boolean
  close(): Promise<void>
}

export type ConnectedChat = {
  readonly name: ProviderName
  readonly provider: ChatProvider & Guard
  readonly limits: RequestLimits
}

export type ConnectedImages = {
  readonly name: ProviderName
  readonly provider: ImageProvider & Guard
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
    chatRoutes: (model) => enabledRoutes(model, chatByName).map(chatRoute),
    imageRoute: (model) => {
      const [match] = enabledRoutes(model, imagesByName)
      if (match === undefined) return undefined
      const { provider, unsupported } = match.entry
      return { provider, unsupported, upstreamModel: match.route.model }
    },
    names: {
      known: new Set([...providerNames, ...chatByName.keys()]),
      enabled: new Set(chatByName.keys()),
    },
    states: () => statesOf([...chat, ...images]),
    isUnavailable: (model) => {
      const routes: readonly EnabledRoute<Guarded>[] =
        'contextLength' in model
          ? enabledRoutes(model, chatByName)
          : enabledRoutes(model, imagesByName).slice(0, 1)
      const isAvailable = ({ entry, route }: EnabledRoute<Guarded>): boolean =>
        entry.provider.available(route.model)
      return routes.length > 0 && !routes.some(isAvailable)
    },
    close,
  }
}

type Guarded = { readonly name: ProviderName; readonly provider: Guard }

/** From worst to best. */
const severities: readonly ProviderState[] = ['key_rejected', 'unavailable', 'probing', 'ok']

function statesOf(entries: readonly Guarded[]): ReadonlyMap<string, ProviderState> {
  const states = new Map<string, ProviderState>()
  for (const { name, provider } of entries) {
    const both = [stateOf(provider), states.get(name)]
    states.set(name, severities.find((state) => both.includes(state)) ?? 'ok')
  }
  return states
}

function stateOf(provider: Guard): ProviderState {
  if (provider.isKeyRejected()) return 'key_rejected'
  const state = provider.breaker()
  if (state === 'closed') return 'ok'
  return state === 'open' ? 'unavailable' : 'probing'
}

function chatRoute({ entry, route }: EnabledRoute<ConnectedChat>): ChatRoute {
  const { model, price } = route
  return { ...entry, upstreamModel: model, ...(price && { price }) }
}

type EnabledRoute<Entry> = { readonly entry: Entry; readonly route: UpstreamRoute }

/** The routes whose provider is enabled. The sandbox serves every model that has no other. */
function enabledRoutes<Entry>(
  model: ChatModel | ImageModel,
  entries: ReadonlyMap<ProviderName, Entry>,
): readonly EnabledRoute<Entry>[] {
  const enabled = model.routes.flatMap((route) => {
    const entry = entries.get(route.provider)
    return entry === undefined ? [] : [{ entry, route }]
  })
  const sandbox = entries.get('sandbox')
  if (enabled.length > 0 || sandbox === undefined) return enabled
  return [{ entry: sandbox, route: { provider: 'sandbox', model: model.id } }]
}
