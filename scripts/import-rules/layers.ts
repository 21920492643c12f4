/** What the shipped source of one package may import. */
export type Layer = {
  readonly name: string
  /** Packages of this repository. */
  readonly workspace: readonly string[]
  /** External packages; `@scope/*` stands for a whole scope. */
  readonly external: readonly string[]
  /** Where Node's modules may be used. Behind a door: never on any path from the package's root. */
  readonly node: 'everywhere' | 'nowhere' | 'behind a door'
}

/**
 * The layers of `packages/`, from the domain outwards. Adding a row, or to a row, is a decision:
 * record it in `docs/decisions`.
 */
export const layers: readonly Layer[] = [
  { name: 'money', workspace: [], external: [], node: 'nowhere' },
  { name: 'pricing', workspace: ['money'], external: [], node: 'nowhere' },
  { name: 'tokenizer', workspace: [], external: [], node: 'behind a door' },
  {
    name: 'catalogs',
    workspace: ['money', 'pricing'],
    external: ['zod'],
    node: 'behind a door',
  },
  { name: 'api', workspace: [], external: ['zod'], node: 'nowhere' },
  { name: 'wires', workspace: ['api'], external: ['zod'], node: 'nowhere' },
  {
    name: 'ledger',
    workspace: ['money'],
    external: ['kysely', 'better-sqlite3', 'pg'],
    node: 'behind a door',
  },
  {
    name: 'payments',
    workspace: ['money', 'ledger'],
    external: ['@x402/*', 'viem', 'secp256k1', 'undici', 'express', 'fastify'],
    node: 'everywhere',
  },
  {
    name: 'provider-proxy',
    workspace: ['money', 'pricing', 'api'],
    external: ['undici', 'eventsource-parser'],
    node: 'everywhere',
  },
  { name: 'settings', workspace: [], external: ['fastest-levenshtein', 'zod'], node: 'nowhere' },
  {
    name: 'storefront',
    workspace: ['api', 'pricing', 'tokenizer', 'catalogs', 'money', 'settings'],
    external: ['zod'],
    node: 'everywhere',
  },
  {
    name: 'http',
    workspace: ['api', 'settings'],
    external: ['@opentelemetry/*', 'express', 'express-rate-limit', 'pino', 'pino-pretty', 'zod'],
    node: 'everywhere',
  },
  {
    name: 'free-endpoints',
    workspace: ['wires', 'api', 'pricing', 'catalogs', 'money', 'storefront', 'http'],
    external: ['express', 'sirv'],
    node: 'everywhere',
  },
  {
    name: 'client',
    workspace: ['api', 'money'],
    external: ['eventsource-parser', '@noble/hashes', '@noble/secp256k1'],
    node: 'everywhere',
  },
  {
    name: 'ai-sdk-provider',
    workspace: ['client'],
    external: ['@ai-sdk/openai-compatible'],
    node: 'everywhere',
  },
  {
    name: 'command',
    workspace: ['api', 'client', 'money'],
    external: ['commander', 'viem', 'zod', '@modelcontextprotocol/*'],
    node: 'everywhere',
  },
  {
    name: 'devnet',
    workspace: [],
    external: ['@foundry-rs/anvil', 'viem', '@x402/*'],
    node: 'everywhere',
  },
]

/** Packages that the estimator must not reach on any path. */
export const paying: readonly string[] = ['payments', 'ledger', 'provider-proxy', 'devnet']

/** The only sources that may import express. */
export const expressEdges: readonly string[] = [
  'packages/payments/src/express',
  'packages/http/src/',
  'packages/free-endpoints/src/',
  'apps/',
]
