/** A chat request of one message. */
export function chatRequest(content: unknown, more: object = {}): object {
  return { model: 'm', messages: [{ role: 'user', content }], ...more }
}

type Detail = { readonly text?: string; readonly signature?: string }

/** What an answer has in addition to its text. */
type Beside = {
  readonly annotations?: readonly {
    readonly url_citation: { readonly start_index: number; readonly end_index: number }
  }[]
  readonly images?: readonly { readonly image_url: { readonly url: string } }[]
}

type Message = Beside & {
  readonly role: string
  readonly content: string | null
  readonly reasoning?: string
  readonly reasoning_details?: readonly Detail[]
  readonly tool_calls?: readonly {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
}

export type Completion = {
  readonly choices: readonly { readonly message: Message; readonly finish_reason: string }[]
  readonly usage?: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly total_tokens: number
    readonly completion_tokens_details?: { readonly reasoning_tokens: number }
  }
}

type Chunk = {
  readonly choices: readonly {
    readonly index: number
    readonly delta: Beside & {
      readonly content?: string
      readonly reasoning?: string
      readonly reasoning_details?: readonly Detail[]
    }
    readonly finish_reason: string | null
    readonly logprobs: object | null
  }[]
  readonly usage?: Completion['usage']
}

export type ChatClient = {
  post(body: object): Promise<Response>
  completion(body: object): Promise<Completion>
  /** The first choice, its text, and the usage. */
  firstChoice(body: object): Promise<
    Completion['choices'][number] & {
      readonly usage: NonNullable<Completion['usage']>
      readonly text: string
    }
  >
  events(body: object): Promise<readonly string[]>
  chunks(body: object): Promise<readonly Chunk[]>
}

/** Calls a sandbox whose address is known once it runs. */
export function chatClient(baseUrl: () => string): ChatClient {
  function post(body: object): Promise<Response> {
    return fetch(`${baseUrl()}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  }

  async function completion(body: object): Promise<Completion> {
    return (await (await post(body)).json()) as Completion
  }

  async function firstChoice(body: object) {
    const { choices, usage } = await completion(body)
    const [choice] = choices
    if (choice === undefined || usage === undefined)
      throw new Error('the completion has no choice or no usage')
    return { ...choice, usage, text: choice.message.content ?? '' }
  }

  async function events(body: object): Promise<readonly string[]> {
    const text = await (await post({ ...body, stream: true })).text()
    return text.split('\n\n').filter((part) => part !== '')
  }

  async function chunks(body: object): Promise<readonly Chunk[]> {
    return (await events(body))
      .filter((one) => one.startsWith('data: {'))
      .map((one) => JSON.parse(one.slice(6)) as Chunk)
  }

  return { chunks, completion, events, firstChoice, post }
}
