/** The folders of one source tree, in the order in which they build on each other. */
export type RoomPlan = {
  readonly place: string
  /** Each room may import only those before it; an entry with an extension is a single file. */
  readonly rooms: readonly string[]
}

/** Every folder of a source tree has a row; a new row decides who may import the folder. */
export const roomPlans: readonly RoomPlan[] = [
  {
    place: 'packages/payments/src',
    rooms: [
      'rpc',
      'scheduling',
      'chain',
      'calls',
      'events',
      'policy',
      'wire',
      'signature',
      'channel',
      'relayer',
      'settlement',
      'treasury',
      'facilitators',
      'refund-plan',
      'refund-sender',
      'channel-chain',
      'audit',
      'gate',
      'channel-gate',
      'channel-endpoint',
      'recovery',
      'refund-worker',
      'paywall',
      'request',
      'fetch',
      'fastify',
      'express',
    ],
  },
  {
    place: 'packages/provider-proxy/src',
    rooms: [
      'provider',
      'transport',
      'breaker',
      'route',
      'wire',
      'reasoning',
      'call',
      'images',
      'relay',
      'anthropic',
      'gemini',
      'openai',
    ],
  },
  { place: 'packages/provider-proxy/src/openai', rooms: ['provider-profile.ts', 'profiles'] },
  {
    place: 'packages/provider-proxy/src/openai/profiles',
    rooms: ['makers', 'hosts', 'others'],
  },
  {
    place: 'packages/storefront/src',
    rooms: ['operator-files', 'catalog', 'tokens', 'quote'],
  },
  {
    place: 'packages/http/src',
    rooms: ['log', 'response', 'server', 'telemetry', 'body', 'rate-limit'],
  },
  { place: 'packages/free-endpoints/src', rooms: ['endpoints', 'site'] },
  {
    place: 'packages/ledger/src',
    rooms: [
      'payment',
      'book',
      'refund',
      'channel',
      'store',
      'conformance',
      'transition',
      'memory',
      'sql',
    ],
  },
  {
    place: 'packages/ledger/src/conformance',
    rooms: [
      'conformance-case.ts',
      'fixtures.ts',
      'channels',
      'answer-cases.ts',
      'claim-cases.ts',
      'export-cases.ts',
      'free-quota-cases.ts',
      'gas-cases.ts',
      'lease-cases.ts',
      'payer-fault-cases.ts',
      'refund-cases.ts',
      'report-cases.ts',
      'transition-cases.ts',
      'ledger-store-conformance.ts',
    ],
  },
  {
    place: 'packages/ledger/src/sql',
    rooms: [
      'schema',
      'queries',
      'executor.ts',
      'rows',
      'operations',
      'sql-store.ts',
      'postgres',
      'sqlite',
    ],
  },
  {
    place: 'packages/tokenizer/src',
    rooms: [
      'engine',
      'convert',
      'vocabulary',
      'browser',
      'counter',
      'images',
      'chat',
      'calibrate',
      'pool',
    ],
  },
  {
    place: 'packages/tokenizer/src/engine',
    rooms: ['encoding-name.ts', 'unicode', 'bpe', 'scan', 'table', 'characters'],
  },
  {
    place: 'packages/catalogs/src',
    rooms: [
      'record',
      'chat',
      'image',
      'data',
      'price',
      'snapshot',
      'catalog',
      'operator',
      'refresh',
    ],
  },
  { place: 'packages/pricing/src', rooms: ['terms', 'chat', 'image'] },
  {
    place: 'packages/client/src',
    rooms: ['farebox-error.ts', 'http', 'pay', 'channel', 'call', 'create-farebox-client.ts'],
  },
  {
    place: 'packages/command/src',
    rooms: ['terminal', 'wallet', 'show', 'local', 'proxy', 'mcp', 'commands'],
  },
  { place: 'packages/wires/src', rooms: ['wire', 'images', 'messages', 'responses'] },
  {
    place: 'packages/api/src',
    rooms: [
      'fields',
      'is-longer-than.ts',
      'has-base64.ts',
      'channel.ts',
      'chat',
      'errors.ts',
      'estimate.ts',
      'health.ts',
      'image-request.ts',
      'model-list.ts',
      'payment.ts',
      'open-api',
    ],
  },
  {
    place: 'packages/devnet/src',
    rooms: ['devnet-error.ts', 'faults', 'generated', 'sandbox', 'anvil', 'chain'],
  },
  { place: 'packages/devnet/src/sandbox', rooms: ['wire', 'images', 'chat'] },
  {
    place: 'apps/gateway/src',
    rooms: [
      'channel-settings.ts',
      'provider-settings.ts',
      'settings.ts',
      'version.ts',
      'welcome.ts',
      'path-methods.ts',
      'endpoints',
      'app.ts',
      'dependencies',
      'observe',
      'telemetry',
      'paid',
      'providers',
      'chat',
      'chain',
      'compose',
      'images',
      'wires',
      'routes',
      'doctor',
      'start-gateway.ts',
      'console',
      'commands',
    ],
  },
  {
    place: 'apps/gateway/src/paid',
    rooms: [
      'stream-response.ts',
      'ending.ts',
      'error-event.ts',
      'upstream-failures.ts',
      'paid-endpoint.ts',
      'quote',
      'free',
    ],
  },
  { place: 'apps/gateway/src/telemetry', rooms: ['otlp'] },
  {
    place: 'apps/web/src',
    rooms: ['mark.svg', 'style', 'service', 'pay', 'parts', 'chat', 'catalog', 'sale', 'pages'],
  },
  {
    place: 'apps/bench/src',
    rooms: [
      'measure.ts',
      'median.ts',
      'report',
      'suite.ts',
      'peers',
      'load',
      'attacks',
      'gateway',
      'growth',
      'suites',
    ],
  },
]

/** Folders with sources but no row, or with a row but no sources. */
export function unplannedRooms(modules: readonly string[]): readonly string[] {
  const sources = modules.filter((path) => /^(packages|apps)\/[^/]+\/src\//.test(path))
  const folders = new Set(sources.map((path) => path.slice(0, path.lastIndexOf('/'))))
  const planned = roomPlans.flatMap(({ place, rooms }) =>
    rooms.filter((room) => !room.includes('.')).map((room) => `${place}/${room}`),
  )
  return [
    ...[...folders].filter((path) => !path.endsWith('/src') && !planned.includes(path)),
    ...planned.filter(
      (path) => ![...folders].some((folder) => `${folder}/`.startsWith(`${path}/`)),
    ),
  ]
}
