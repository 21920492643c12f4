import type { Attributes } from '@opentelemetry/api'
import type { EndedRequest } from '../observe/request-trace.ts'

/** The call of a provider in a request; times are in ms since 1970. */
export type Inference = {
  /** `gen_ai.operation.name` and the model, the span's name in the conventions. */
  readonly name: string
  readonly from: number
  readonly until: number
  /** When the provider's first byte arrived; undefined if it failed before. */
  readonly firstAt: number | undefined
  /** The attributes that metrics and spans of the call share. */
  readonly attributes: Attributes
  readonly tokens: { readonly input: number | undefined; readonly output: number | undefined }
  /** A stable code. */
  readonly error: string | undefined
}

/** The names of the GenAI conventions for providers that have another name here. */
const providerNames: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  gemini: 'gcp.gemini',
  mistral: 'mistral_ai',
  vertex: 'gcp.vertex_ai',
  xai: 'x_ai',
}

/**
 * The provider's call of a request, in the terms of OpenTelemetry's GenAI conventions 1.45;
 * undefined if no provider was called.
 */
export function inferenceOf(request: EndedRequest): Inference | undefined {
  const { phases, payment, facts } = request
  const upstream = phases.find(({ phase }) => phase === 'upstream')
  const relay = phases.find(({ phase }) => phase === 'relay')
  const [first, last] = [upstream ?? relay, relay ?? upstream]
  if (payment === undefined || first === undefined || last === undefined) return undefined
  const isImage = request.route?.startsWith('/v1/images/') === true
  const operation = isImage ? 'generate_content' : 'chat'
  const { provider, model = payment.model, requestedModel = payment.model } = facts
  const error = payment.status === 'failed' ? (payment.reason ?? '_OTHER') : undefined
  return {
    name: `${operation} ${requestedModel}`,
    from: first.from,
    until: last.until,
    firstAt: upstream?.until,
    attributes: {
      'gen_ai.operation.name': operation,
      ...(provider !== undefined && {
        'gen_ai.provider.name': providerNames[provider] ?? provider,
      }),
      'gen_ai.request.model': requestedModel,
      ...(error === undefined && { 'gen_ai.response.model': model }),
      ...(error !== undefined && { 'error.type': error }),
    },
    tokens: { input: facts.inputTokens, output: facts.outputTokens },
    error,
  }
}
