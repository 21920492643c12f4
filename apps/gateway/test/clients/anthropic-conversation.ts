import type Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { type Conversation, model, questions, result, weather } from './conversation.ts'

/** The Messages interface, with every block sent back as it came. */
export function anthropicMessages(Client: typeof Anthropic): Conversation {
  return async ({ url, fetch, streamed }) => {
    const client = new Client({ baseURL: url, apiKey: 'none', fetch, maxRetries: 0 })
    const { name, description, parameters } = weather
    const input_schema = { ...parameters, required: ['place'] }
    const messages: Anthropic.MessageParam[] = []
    const places: unknown[] = []
    const answers: string[] = []
    for (const content of questions) {
      messages.push({ role: 'user', content })
      for (let pending = true; pending; ) {
        const tools = [{ name, description, input_schema }]
        const body = { model, messages, tools, max_tokens: 200 }
        const message = streamed
          ? await client.messages.stream(body).finalMessage()
          : await client.messages.create(body)
        messages.push({ role: 'assistant', content: message.content })
        const calls = message.content.filter((block) => block.type === 'tool_use')
        const results = calls.map((call) => {
          places.push((call.input as { readonly place?: unknown }).place)
          return { type: 'tool_result' as const, tool_use_id: call.id, content: result }
        })
        if (calls.length > 0) messages.push({ role: 'user', content: results })
        else
          answers.push(message.content.map((block) => ('text' in block ? block.text : '')).join(''))
        pending = calls.length > 0
      }
    }
    return { places, answers }
  }
}

/** The helper `toolRunner`, which first asks the server to store the conversation. */
export function anthropicToolRunner(Client: typeof Anthropic): Conversation {
  return async ({ url, fetch, streamed }) => {
    const client = new Client({ baseURL: url, apiKey: 'none', fetch, maxRetries: 0 })
    const { name, description, parameters } = weather
    const places: unknown[] = []
    const answers: string[] = []
    const look = betaTool({
      name,
      description,
      inputSchema: { ...parameters, required: ['place'] },
      run: ({ place }) => {
        places.push(place)
        return result
      },
    })
    let messages: Anthropic.Beta.BetaMessageParam[] = []
    for (const content of questions) {
      messages = [...messages, { role: 'user', content }]
      const body = { model, messages, tools: [look], max_tokens: 200 }
      const runner = client.beta.messages.toolRunner({ ...body, stream: streamed })
      const last = await runner.runUntilDone()
      answers.push(last.content.map((block) => ('text' in block ? block.text : '')).join(''))
      messages = [...runner.params.messages]
    }
    return { places, answers }
  }
}
