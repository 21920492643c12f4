import type { ChatAnthropic } from '@langchain/anthropic'
import type { AIMessageChunk, BaseMessageLike } from '@langchain/core/messages'
import type { Runnable } from '@langchain/core/runnables'
import type { ChatOpenAI } from '@langchain/openai'
import {
  type Conversation,
  model,
  questions,
  result,
  type Setting,
  weather,
} from './conversation.ts'

/** The classes of one release of LangChain. */
type LangChain = {
  readonly ChatOpenAI: typeof ChatOpenAI
  readonly ChatAnthropic: typeof ChatAnthropic
}

/** A chat model of LangChain with the weather tool bound to it. */
type BoundModel = Runnable<BaseMessageLike[], AIMessageChunk>

const tools = [{ type: 'function' as const, function: weather }]

/** A conversation with each interface that LangChain speaks. */
export function langChainClients(langChain: LangChain): Readonly<Record<string, Conversation>> {
  return {
    ChatOpenAI: chatOpenAi(langChain, false),
    'ChatOpenAI over Responses': chatOpenAi(langChain, true),
    ChatAnthropic: chatAnthropic(langChain),
  }
}

function chatOpenAi(langChain: LangChain, useResponsesApi: boolean): Conversation {
  return langChainConversation(({ url, fetch }) =>
    new langChain.ChatOpenAI({
      model,
      apiKey: 'none',
      maxTokens: 200,
      maxRetries: 0,
      useResponsesApi,
      ...(useResponsesApi && { zdrEnabled: true }),
      configuration: { baseURL: `${url}/v1`, fetch },
    }).bindTools(tools),
  )
}

function chatAnthropic(langChain: LangChain): Conversation {
  return langChainConversation(({ url, fetch }) =>
    new langChain.ChatAnthropic({
      model,
      apiKey: 'none',
      maxTokens: 200,
      maxRetries: 0,
      anthropicApiUrl: url,
      clientOptions: { fetch },
    }).bindTools(tools),
  )
}

/** Answers are pushed back as LangChain's own messages. */
function langChainConversation(open: (setting: Setting) => BoundModel): Conversation {
  return async (setting) => {
    const bound = open(setting)
    const messages: BaseMessageLike[] = []
    const places: unknown[] = []
    const answers: string[] = []
    for (const content of questions) {
      messages.push({ role: 'user', content })
      for (let pending = true; pending; ) {
        const message = setting.streamed
          ? await joined(bound, messages)
          : await bound.invoke(messages)
        messages.push(message)
        const calls = message.tool_calls ?? []
        for (const { id = '', name, args } of calls) {
          places.push(args['place'])
          messages.push({ role: 'tool', tool_call_id: id, name, content: result })
        }
        if (calls.length === 0) answers.push(message.text)
        pending = calls.length > 0
      }
    }
    return { places, answers }
  }
}

async function joined(bound: BoundModel, messages: BaseMessageLike[]): Promise<AIMessageChunk> {
  let message: AIMessageChunk | undefined
  for await (const chunk of await bound.stream(messages)) message = message?.concat(chunk) ?? chunk
  if (message === undefined) throw new Error('no message')
  return message
}
