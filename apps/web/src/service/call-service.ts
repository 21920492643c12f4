/** An answer that is not a success: a refusal in the service's words, or a limit with a time. */
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
  return await fetch(new URL(path, document.baseURI), {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
}

/** The same for JSON. The page and the service are one release, so the body is not checked again. */
export async function callService<Body>(request: ServiceRequest): Promise<Reply<Body>> {
  try {
    const response = await send(request)
    if (!response.ok) return await refusalOf(response)
    return { status: 'ok', body: (await response.json()) as Body }
  } catch (error) {
    request.signal?.throwIfAborted()
    const message = error instanceof SyntaxError ? 'The answer is not JSON.' : offline
    return { status: 'refused', message, retryMs: undefined }
  }
}

const offline = 'The service cannot be reached.'

type ErrorBody = {
  readonly error?: { readonly message?: string } | string
  readonly message?: string
}

/** The message of an answer that is not a success. */
export async function refusalOf(response: Response): Promise<Refusal> {
  const after = Number(response.headers.get('retry-after') ?? Number.NaN)
  const retryMs = Number.isFinite(after) ? after * 1_000 : undefined
  if (response.status === 429) {
    const wait = retryMs === undefined ? 'a minute' : `${Math.ceil(retryMs / 1_000)} seconds`
    const message = `Too many requests from this address. The next one is possible in ${wait}.`
    return { status: 'refused', message, retryMs: retryMs ?? 60_000 }
  }
  const text = await response.text()
  return { status: 'refused', message: messageOf(text) ?? `Error ${response.status}.`, retryMs }
}

function messageOf(text: string): string | undefined {
  if (!text.startsWith('{')) return undefined
  const { error, message } = JSON.parse(text) as ErrorBody
  return typeof error === 'object' ? (error.message ?? message) : (message ?? error)
}
