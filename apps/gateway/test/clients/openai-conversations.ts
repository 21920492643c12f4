import type OpenAI from 'openai'
import type { RunnableToolFunctionWithParse } from 'openai/lib/RunnableFunction'
import {
  type Conversation,
  model,
  type Outcome,
  placeIn,
  questions,
  result,
  type Setting,
  weather,
} from './conversation.ts'

type Message = OpenAI.ChatCompletionMessage

const chatTool = { type: 'function', function: { ...weather, strict: true } } as const

const chatFormat = {
  type: 'json_schema',
  json_schema: { name: 'said', strict: true, schema: weather.parameters },
} as const

function clientOf(Client: typeof OpenAI, { url, fetch }: Setting): OpenAI {
  return new Client({ baseURL: `${url}/v1`, apiKey: 'none', fetch, maxRetries: 0 })
}

/** Chat completions, with the helper `stream` where the answer is streamed. */
export function openAiChat(Client: typeof OpenAI): Conversation {
  return (setting) => {
    const { completions } = clientOf(Client, setting).chat
    return chatLoop(async (messages) => {
      const body = { model, messages, tools: [chatTool], max_completion_tokens: 200 }
      return setting.streamed
        ? completions.stream(body).finalMessage()
        : (await completions.create(body)).choices[0]?.message
    })
  }
}

/** The helper `parse` and its stream: a strict tool, and answers in a JSON schema. */
export function openAiParse(Client: typeof OpenAI): Conversation {
  return async (setting) => {
    const { completions } = clientOf(Client, setting).chat
    const outcome = await chatLoop(async (messages) => {
      const format = { response_format: chatFormat, max_completion_tokens: 200 }
      const body = { model, messages, tools: [chatTool], ...format }
      return setting.streamed
        ? completions.stream(body).finalMessage()
        : (await completions.parse(body)).choices[0]?.message
    })
    const said = outcome.answers.map((answer) => `${String(placeIn(answer))}: ${result}`)
    return { ...outcome, answers: said }
  }
}

async function chatLoop(
  ask: (messages: OpenAI.ChatCompletionMessageParam[]) => Promise<Message | undefined>,
): Promise<Outcome> {
  const messages: OpenAI.ChatCompletionMessageParam[] = []
  const places: unknown[] = []
  const answers: string[] = []
  for (const content of questions) {
    messages.push({ role: 'user', content })
    for (let pending = true; pending; ) {
      const message = await ask(messages)
      if (message === undefined) throw new Error('no message')
      messages.push(message)
      const calls = (message.tool_calls ?? []).filter((call) => call.type === 'function')
      for (const { id, function: called } of calls) {
        places.push(placeIn(called.arguments))
        messages.push({ role: 'tool', tool_call_id: id, content: result })
      }
      if (calls.length === 0) answers.push(message.content ?? '')
      pending = calls.length > 0
    }
  }
  return { places, answers }
}

/** The helper `runTools`, which calls the functions and asks again by itself. */
export function openAiRunTools(Client: typeof OpenAI): Conversation {
  return async (setting) => {
    const { completions } = clientOf(Client, setting).chat
    const places: unknown[] = []
    const answers: string[] = []
    let messages: OpenAI.ChatCompletionMessageParam[] = []
    const look = (args: object): string => {
      places.push('place' in args ? args.place : undefined)
      return result
    }
    const parse = (text: string): object => JSON.parse(text) as object
    const tool: RunnableToolFunctionWithParse<object> = {
      type: 'function',
      function: {
        ...weather,
        parameters: { ...weather.parameters, required: ['place'] },
        function: look,
        parse,
      },
    }
    for (const content of questions) {
      const body = {
        model,
        tools: [tool],
        messages: [...messages, { role: 'user' as const, content }],
      }
      const capped = { ...body, max_completion_tokens: 200 }
      const runner = setting.streamed
        ? completions.runTools({ ...capped, stream: true })
        : completions.runTools({ ...capped, stream: false })
      answers.push((await runner.finalContent()) ?? '')
      messages = [...runner.messages]
    }
    return { places, answers }
  }
}

/** The Responses interface, with every output item sent back as it came. */
export function openAiResponses(Client: typeof OpenAI): Conversation {
  return async (setting) => {
    const { responses } = clientOf(Client, setting)
    const tools = [{ type: 'function' as const, ...weather, strict: true }]
    const input: OpenAI.Responses.ResponseInputItem[] = []
    const places: unknown[] = []
    const answers: string[] = []
    for (const content of questions) {
      input.push({ role: 'user', content })
      for (let pending = true; pending; ) {
        const body = { model, input, tools, max_output_tokens: 200 }
        const response = setting.streamed
          ? await responses.stream(body).finalResponse()
          : await responses.create(body)
        const calls = response.output.flatMap((item) =>
          item.type === 'function_call' ? [item] : [],
        )
        input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]))
        for (const { call_id, arguments: args } of calls) {
          places.push(placeIn(args))
          input.push({ type: 'function_call_output', call_id, output: result })
        }
        if (calls.length === 0) answers.push(response.output_text)
        pending = calls.length > 0
      }
    }
    return { places, answers }
  }
}
