import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from '@farebox/http/log'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { openRoutedUpstream, type RoutedUpstream } from './routed-upstream.ts'

export type RoutedGateway = {
  readonly gateway: TestGateway
  readonly upstream: RoutedUpstream
  close(): Promise<void>
}

export type RoutedGatewayOptions = {
  /** The names of providers, such as `GROQ`: each is the upstream, which tells them apart. */
  readonly providers: readonly string[]
  /** The models that are added to the catalog. */
  readonly add: readonly object[]
  /** What else the gateway needs, once the upstream is there. */
  readonly more?: (at: {
    readonly upstream: RoutedUpstream
    readonly folder: string
  }) => Promise<Readonly<Record<string, string>>>
  readonly logger?: Logger
}

/** A gateway that sells these models, each from its routes to one server of many providers. */
export async function openRoutedGateway(options: RoutedGatewayOptions): Promise<RoutedGateway> {
  const { providers, add, more, logger } = options
  const folder = await mkdtemp(join(tmpdir(), 'farebox-'))
  const upstream = await openRoutedUpstream()
  const overrides = join(folder, 'overrides.json')
  await writeFile(overrides, JSON.stringify({ chat: { add } }))
  const keys = providers.flatMap((name) => [
    [`${name}_API_KEY`, `sk-${name.toLowerCase()}`],
    [`${name}_BASE_URL`, upstream.url(name.toLowerCase())],
  ])
  const gateway = await openGateway(
    {
      ...Object.fromEntries(keys),
      CATALOG_OVERRIDES: overrides,
      MIN_CHARGE_USDC: '0.000002',
      ...(await more?.({ upstream, folder })),
    },
    logger,
  )
  return {
    gateway,
    upstream,
    close: async () => {
      await gateway.stop()
      upstream.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A model that costs the same rate for input and output. */
export function routedModel(id: string, rate: number, routes: readonly object[]): object {
  return {
    id,
    contextLength: 8192,
    maxOutputTokens: 4096,
    price: { input: rate, output: rate },
    accepts: 'hosted',
    routes,
  }
}

/** A route to each of these providers, in this order. */
export function routesTo(...providers: readonly string[]): readonly object[] {
  return providers.map((provider) => ({ provider, model: `${provider}-name` }))
}
