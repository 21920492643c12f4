import { retryAfterMs } from './retry-after-ms.ts'

/** A failed response: an error with the service's message, or a limit with a time. */
export type Refusal = {
  readonly status: 'refused'
  readonly message: string
  /** When to ask again, in milliseconds. */
  readonly retryMs: number | undefined
}

export type Reply<Body> = { readonly status: 'ok'; readonly body: Body } | Refusal

export type ServiceRequest = {
  /** Relative to the site, without a slash at its start. */
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Sends a request to the service that served this page. */
export async function send({ path, body, headers, signal }: ServiceRequest): Promise<Response> {
  const sent = fetch(new URL(path, document.baseURI), {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  return await sent.catch((cause: unknown) => {
    signal?.throwIfAborted()
    throw new Error(offline, { cause })
  })
}

/** The same for JSON. */
export async function callService<Body>(request: ServiceRequest): Promise<Reply<Body>> {
  try {
    const response = await send(request)
    if (!response.ok) return await refusalOf(response)
    return readReply(await response.text())
  } catch {
    request.signal?.throwIfAborted()
    return { status: 'refused', message: offline, retryMs: undefined }
  }
}

/** Reads JSON. The page and the service are one release, so its shape is not checked again. */
export function readReply<Body>(text: string): Reply<Body> {
  try {
    return { status: 'ok', body: JSON.parse(text) as Body }
  } catch {
    return { status: 'refused', message: 'The answer is not JSON.', retryMs: undefined }
  }
}

const offline = 'The service cannot be reached.'

type ErrorBody = {
  readonly error?: { readonly message?: string; readonly code?: string } | string
  readonly message?: string
}

/** The message of an answer that is not a success. */
export async function refusalOf(response: Response): Promise<Refusal> {
  const retryMs = retryAfterMs(response.headers)
  if (response.status === 429) {
    const seconds = Math.ceil((retryMs ?? 60_000) / 1_000)
    const wait = seconds === 1 ? 'a second' : `${seconds} seconds`
    const message = `Too many requests from this address. The next one is possible in ${wait}.`
    return { status: 'refused', message, retryMs: retryMs ?? 60_000 }
  }
  const message = messageOf(await response.text()) ?? unnamed(response.status)
  return { status: 'refused', message, retryMs }
}

const unknownModel =
  'No model that is sold here has exactly this name. The page “Models” lists them all.'

/** Errors whose messages send programs to an address. */
const forVisitors = new Map([
  ['model_not_found', unknownModel],
  ['INVALID_MODEL', unknownModel],
])

/** A proxy answers so for a service that is down, and the sign-in page of a network for every service. */
function unnamed(status: number): string {
  return [502, 503, 504].includes(status)
    ? offline
    : `A server between this page and the service answered with status ${status}.`
}

function messageOf(text: string): string | undefined {
  const reply = text.startsWith('{') ? readReply<ErrorBody>(text) : undefined
  if (reply?.status !== 'ok') return undefined
  const { error, message } = reply.body
  const { code, message: inner } = typeof error === 'object' ? error : { code: error }
  return forVisitors.get(code ?? '') ?? inner ?? message ?? code
}
