import type * as agents from '@openai/agents'
import OpenAI from 'openai'
import { type Conversation, model, questions, result, weather } from './conversation.ts'

export type AgentsSdk = Pick<typeof agents, 'Agent' | 'Runner' | 'OpenAIProvider' | 'tool'>

/** OpenAI's agents, over one of the two interfaces that they speak. */
export function agentsConversation(
  sdk: AgentsSdk,
  wire: 'responses' | 'chat',
  Client: typeof OpenAI = OpenAI,
): Conversation {
  return async ({ url, fetch, streamed }) => {
    const openAIClient = new Client({ baseURL: `${url}/v1`, apiKey: 'none', fetch, maxRetries: 0 })
    const modelProvider = new sdk.OpenAIProvider({
      openAIClient,
      useResponses: wire === 'responses',
    })
    const runner = new sdk.Runner({ modelProvider, tracingDisabled: true })
    const places: unknown[] = []
    const look = sdk.tool({
      name: weather.name,
      description: weather.description,
      parameters: { ...weather.parameters, required: ['place'] },
      execute: (input) => {
        places.push((input as { readonly place?: unknown }).place)
        return result
      },
    })
    const agent = new sdk.Agent({
      name: 'Traveller',
      instructions: 'You travel.',
      model,
      modelSettings: { maxTokens: 200, store: false },
      tools: [look],
    })
    const answers: string[] = []
    let history: agents.AgentInputItem[] = []
    for (const content of questions) {
      const input: agents.AgentInputItem[] = [...history, { role: 'user', content }]
      if (streamed) {
        const run = await runner.run(agent, input, { stream: true })
        await run.completed
        answers.push(run.finalOutput ?? '')
        history = run.history
      } else {
        const run = await runner.run(agent, input)
        answers.push(run.finalOutput ?? '')
        history = run.history
      }
    }
    return { places, answers }
  }
}
