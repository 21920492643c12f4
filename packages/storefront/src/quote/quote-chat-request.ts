import { setImmediate } from 'node:timers/promises'
import {
  type ChatRequest,
  type ChatRequestSchema,
  chatRequestSchema,
  defaultMaxTokens,
  isEmptyMessage,
  parseWith,
  withoutMark,
} from '@farebox/api'
import { type ChatModel, fitsContext } from '@farebox/catalogs'
import { type ChatQuote, quoteChat, withCacheWrites } from '@farebox/pricing'
import { type CounterName, counterNames } from '@farebox/tokenizer'
import { wireOf } from '../tokens/wire-of.ts'
import { cacheLifetimes, checkCacheMarks, withUsableMarks } from './cache-requests.ts'
import { checkFields, type NeutralValue, withoutNeutralFields } from './check-fields.ts'
import { findSoldModels } from './find-sold-models.ts'
import { type ChatQuotes, highestQuotes } from './highest-quotes.ts'
import { modelNameProblem } from './model-name-problem.ts'
import type { Quoted, RequestRejection } from './request-rejection.ts'
import { resolveReasoning } from './resolve-reasoning.ts'
import type { Storefront } from './storefront.ts'
import { hasToolImages, withToolImagesApart } from './tool-images.ts'

/** A chat request as one model serves it, with its price. */
export type ModelSale = {
  /** The request without fields that request nothing. */
  readonly request: ChatRequest
  readonly model: ChatModel
  /** Counts the model's tokens. */
  readonly counter: CounterName
  /** The output cap of one choice, as it goes upstream. */
  readonly maxTokens: number
  /** The best count of the input. */
  readonly inputTokens: number
  /** The upper bound of the input, which the quotes cover. */
  readonly inputTokensAtMost: number
  readonly inputCount: InputCount['method']
  /** The current price first, then earlier ones that are still honored. */
  readonly quotes: ChatQuotes
}

/** A chat request that can be bought: served by its first model, priced at the most expensive. */
export type ChatSale = ModelSale & {
  /** The models that may serve it, in order: the request's own, and its fallbacks. */
  readonly models: readonly [ModelSale, ...ModelSale[]]
}

export type QuoteOptions = {
  readonly signal?: AbortSignal | undefined
  /** The accepted bodies; those of the storefront by default. */
  readonly schema?: ChatRequestSchema | undefined
  /** For the advice in errors; the values of a chat completion by default. */
  readonly neutralValue?: NeutralValue | undefined
}

/**
 * Validates a body and prices it: shape, model, fields that the model supports, context, price, in
 * this order, for each model that it names. The estimate and the paid path are both this function, so
 * that a request whose estimate succeeds can be bought at that price.
 */
export async function quoteChatRequest(
  body: unknown,
  storefront: Storefront,
  options: QuoteOptions = {},
): Promise<Quoted<ChatSale>> {
  const { schema = storefront.chatRequestSchema ?? chatRequestSchema, ...quoting } = options
  const parsed = parseWith(schema, body)
  if (parsed.status === 'invalid') return { status: 'rejected', rejection: parsed.problem }
  // 10,000 messages take some 30 milliseconds to validate, and as long to plan their count.
  await setImmediate()
  const asked = parsed.value
  const [first, ...fallbacks] = namedModels(asked, storefront)
  const quoted = await quoteModel(asked, first, { storefront, ...quoting })
  if (quoted.status === 'rejected') return quoted
  const others: ModelSale[] = []
  for (const named of fallbacks) {
    const other = await quoteModel(asked, named, { storefront, ...quoting })
    if (other.status === 'rejected') return other
    if (other.sale.model.id !== quoted.sale.model.id) others.push(other.sale)
  }
  const models = [quoted.sale, ...others] as const
  return { status: 'quoted', sale: { ...quoted.sale, models, quotes: highestQuotes(models) } }
}

/** A model as the request names it, and the field that does. */
type NamedModel = { readonly name: string; readonly param: string; readonly isDefault?: true }

function namedModels(
  { model, models = [] }: ChatRequest,
  { defaultChatModel }: Storefront,
): readonly [NamedModel, ...NamedModel[]] {
  const listed = models.map((name, index) => ({ name, param: `models[${index}]` }))
  const [first, ...others] = listed
  if (model !== undefined) return [{ name: model, param: 'model' }, ...listed]
  if (first !== undefined) return [first, ...others]
  return [{ name: defaultChatModel, param: 'model', isDefault: true }]
}

type Quoting = Omit<QuoteOptions, 'schema'> & { readonly storefront: Storefront }

async function quoteModel(
  asked: ChatRequest,
  named: NamedModel,
  { storefront, signal, neutralValue }: Quoting,
): Promise<Quoted<ModelSale>> {
  const found = findSoldModels(named.name, storefront)
  const [model] = found
  if (model === undefined || found.length > 1) return rejectModel(named, found)
  const resolved = resolveReasoning(asked, model)
  if ('rejection' in resolved) return { status: 'rejected', rejection: resolved.rejection }
  const given = withUsableMarks(withoutNeutralFields(resolved.request, model), model)
  const relevant = withAcceptedToolImages(given, model, storefront)
  const rejection =
    storefront.rejectedPreference?.(model, relevant) ??
    checkFields(relevant, model, {
      unsupportedByProvider: storefront.unsupportedField(model, relevant),
      neutralValue,
    }) ??
    checkCacheMarks(relevant, model)
  if (rejection !== undefined) return { status: 'rejected', rejection }
  const request = withoutEmptyMessages(relevant)
  const maxTokens = capOf(request, model)
  const excess = checkMaxTokens(request, model)
  if (excess !== undefined) return { status: 'rejected', rejection: excess }
  const input = await countInput({ request, model, maxTokens }, storefront, signal)
  const overflow = checkContext(input, maxTokens, model)
  if (overflow !== undefined) return { status: 'rejected', rejection: overflow }
  const quotes = quoteAtEachPrice({ request, model, maxTokens, input }, storefront)
  return {
    status: 'quoted',
    sale: {
      request,
      model,
      counter: counterOf(model),
      maxTokens,
      inputTokens: input.tokens,
      inputTokensAtMost: input.upperBound,
      inputCount: input.method,
      quotes,
    },
  }
}

/** Images stay in tool results if a provider of the model accepts them there. */
function withAcceptedToolImages(
  request: ChatRequest,
  model: ChatModel,
  storefront: Storefront,
): ChatRequest {
  if (!hasToolImages(request) || !model.inputModalities.includes('image')) return request
  const isAccepted = storefront.unsupportedField(model, request) === undefined
  return isAccepted ? request : withToolImagesApart(request)
}

/** Several providers reject answers without text and tool calls. */
function withoutEmptyMessages(request: ChatRequest): ChatRequest {
  return { ...request, messages: request.messages.filter((message) => !isEmptyMessage(message)) }
}

function rejectModel(
  { name: asked, param, isDefault }: NamedModel,
  found: readonly ChatModel[],
): Quoted<never> {
  const place = param === 'model' ? '' : ` of ${param}`
  const name =
    isDefault === true ? 'The default model' : `The model ${JSON.stringify(asked)}${place}`
  const message = modelNameProblem(name, found, '/v1/models')
  return { status: 'rejected', rejection: { code: 'model_not_found', param, message } }
}

/** `texts`: the texts are counted exactly; the chat format and images are estimated. */
type InputCount = {
  readonly tokens: number
  readonly upperBound: number
  readonly method: 'exact' | 'texts' | 'estimate'
  /** Whether counting stopped because the context is full. */
  readonly isAtLeast: boolean
}

/**
 * Counting stops once the context is full, so that a rejected request takes no more CPU than a sold
 * one.
 */
async function countInput(
  { request, model, maxTokens }: Capped,
  storefront: Storefront,
  signal: AbortSignal | undefined,
): Promise<InputCount> {
  const counter = counterOf(model)
  const providers =
    storefront.providersOf?.(model, request) ?? model.routes.map(({ provider }) => provider)
  const input = await storefront.counter.countChat({
    counter,
    model: model.id,
    messages: storefront.countedMessages?.(model, request) ?? request.messages,
    tools: request.tools?.map((tool) => withoutMark(tool)),
    responseFormat: request.response_format,
    wire: wireOf(providers),
    atMost: model.contextLength - maxTokens,
    signal,
  })
  const hasExactTexts =
    input.degraded === undefined && storefront.counter.textMethod(counter) === 'exact'
  const estimated = hasExactTexts ? 'texts' : 'estimate'
  return {
    tokens: input.tokens,
    upperBound: input.upperBound,
    method: input.method === 'exact' ? 'exact' : estimated,
    isAtLeast: input.degraded === 'limit',
  }
}

/** A request with its output cap. */
type Capped = {
  readonly request: ChatRequest
  readonly model: ChatModel
  readonly maxTokens: number
}

function counterOf(model: ChatModel): CounterName {
  return counterNames.find((name) => name === model.counter) ?? 'generic'
}

/** The default is lowered to the model's limit; a request's own cap never is. */
function capOf(request: ChatRequest, model: ChatModel): number {
  return (
    request.max_tokens ??
    request.max_completion_tokens ??
    Math.min(defaultMaxTokens, model.maxOutputTokens)
  )
}

function checkMaxTokens(request: ChatRequest, model: ChatModel): RequestRejection | undefined {
  const { id, maxOutputTokens } = model
  const maxTokens = capOf(request, model)
  if (maxTokens <= maxOutputTokens) return undefined
  const param = request.max_tokens === undefined ? 'max_completion_tokens' : 'max_tokens'
  return {
    code: 'max_tokens_exceeded',
    param,
    message: `${param} is ${maxTokens}, and the output of ${id} is at most ${maxOutputTokens} tokens. Set it to ${maxOutputTokens} or less.`,
  }
}

function checkContext(
  { tokens, isAtLeast }: InputCount,
  maxTokens: number,
  model: ChatModel,
): RequestRejection | undefined {
  if (fitsContext(model, { inputTokens: tokens, outputTokens: maxTokens })) return undefined
  const count = isAtLeast ? `at least ${tokens}` : `${tokens}`
  return {
    code: 'context_length_exceeded',
    param: 'messages',
    message: `messages have ${count} tokens and max_tokens is ${maxTokens}: together more than the ${model.contextLength} tokens of ${model.id}'s context. Shorten messages or lower max_tokens.`,
  }
}

function quoteAtEachPrice(
  priced: Capped & { readonly input: InputCount },
  { catalog, terms, now, quoteLifetimeMs }: Storefront,
): ChatQuotes {
  const { request, model, maxTokens, input } = priced
  const lifetimes = cacheLifetimes(request)
  const quoteAt = (price: ChatModel['price']): ChatQuote =>
    quoteChat({
      model: model.id,
      price: withCacheWrites(price, lifetimes),
      terms,
      inputTokens: input.upperBound,
      likelyInputTokens: input.tokens,
      maxOutputTokens: maxTokens,
      choices: request.n ?? 1,
    })
  const earlier = catalog()
    .recentPrices(model.id, now() - quoteLifetimeMs)
    .filter((price) => price.version !== model.price.version)
  return [quoteAt(model.price), ...earlier.map(quoteAt)]
}
