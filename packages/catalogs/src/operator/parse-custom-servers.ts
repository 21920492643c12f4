import * as z from 'zod'
import type { ChatRecord } from '../chat/chat-record.ts'
import type { ProviderName } from '../chat/provider-name.ts'
import { type Issue, issuesOf } from '../record/issue.ts'
import { distinctModels } from '../record/record-fields.ts'
import { operatorChatModelSchema } from './operator-schema.ts'

/** An OpenAI-compatible server of the operator. */
export type CustomServer = {
  /** `custom:` and the server's name. */
  readonly provider: ProviderName
  /** Version path included. */
  readonly baseUrl: string
  readonly apiKey?: string
  /** What kind of server it is; decides which fields it supports. */
  readonly profile: 'custom' | 'ollama' | 'vllm'
}

const serverSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be 1 to 32 lower-case letters, digits or -'),
    baseUrl: z
      .url({
        protocol: /^https?$/,
        error: 'is not a valid URL: use http:// or https://',
        abort: true,
      })
      .regex(
        /^https?:\/\/[^/@?#]+(\/[^?#]*)?$/i,
        'must have no user name, password, ? or #: paths are appended to it',
      ),
    apiKey: z
      .string()
      .regex(/^[\x21-\x7e]+$/, 'must be ASCII characters, no spaces or line breaks')
      .exactOptional(),
    profile: z.enum(['custom', 'ollama', 'vllm']).default('custom'),
    models: distinctModels(operatorChatModelSchema('custom', 'the operator')).min(
      1,
      'must not be empty',
    ),
  })
  .transform(({ name, models, ...server }) => {
    const provider: ProviderName = `custom:${name}`
    return { server: { ...server, provider }, models: models.map((one) => at(provider, one)) }
  })

/** A model without its own routes is at its server, under its own id. */
function at(provider: ProviderName, model: ChatRecord): ChatRecord {
  const routes = model.routes.map((route) =>
    route.provider === 'custom' ? { ...route, provider } : route,
  )
  return { ...model, routes }
}

const fileSchema = z.strictObject({ servers: z.array(serverSchema).min(1, 'must not be empty') })

/** The servers and their models, or all mistakes with their paths. */
export type ParsedCustomServers =
  | {
      readonly ok: true
      readonly servers: readonly CustomServer[]
      readonly models: readonly ChatRecord[]
    }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/**
 * Parses the operator's OpenAI-compatible servers with their models and prices. A model of several
 * servers must be the same at each, and is sold through them in the order of the file. All mistakes
 * are reported together, each with its path.
 */
export function parseCustomServers(json: unknown): ParsedCustomServers {
  const parsed = fileSchema.safeParse(json)
  if (!parsed.success) return { ok: false, issues: issuesOf(parsed.error) }
  const { servers } = parsed.data
  const repeated = servers.findIndex(
    ({ server }, index) =>
      servers.findIndex((other) => other.server.provider === server.provider) !== index,
  )
  if (repeated >= 0) return failed(`servers.${repeated}.name`, 'must not be used twice')
  const models = new Map<string, ChatRecord>()
  for (const model of servers.flatMap((one) => one.models)) {
    const other = models.get(model.id)
    if (other !== undefined && !isSameModel(model, other)) {
      return failed(model.id, 'must have the same limits and price at each of its servers')
    }
    const routes = [...(other?.routes ?? []), ...model.routes]
    models.set(model.id, { ...model, routes })
  }
  return { ok: true, servers: servers.map(({ server }) => server), models: [...models.values()] }
}

function failed(path: string, message: string): ParsedCustomServers {
  return { ok: false, issues: [{ path, message }] }
}

function isSameModel(one: ChatRecord, other: ChatRecord): boolean {
  const withoutRoutes = (record: ChatRecord): string => JSON.stringify({ ...record, routes: [] })
  return withoutRoutes(one) === withoutRoutes(other)
}
