import { ChatAnthropic } from '@langchain/anthropic'
import { ChatOpenAI } from '@langchain/openai'
import { model, weather } from './conversation.ts'
import { langChainConversation } from './langchain-conversation.ts'
import { testConversations } from './paid-conversations.ts'

// LangChain is slow to load. clients.test.ts has the interfaces that it speaks, with the SDKs below it.
const tools = [{ type: 'function' as const, function: weather }]

function chatOpenAi(useResponsesApi: boolean) {
  return langChainConversation(({ url, fetch }) =>
    new ChatOpenAI({
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

function chatAnthropic() {
  return langChainConversation(({ url, fetch }) =>
    new ChatAnthropic({
      model,
      apiKey: 'none',
      maxTokens: 200,
      maxRetries: 0,
      anthropicApiUrl: url,
      clientOptions: { fetch },
    }).bindTools(tools),
  )
}

testConversations({
  ChatOpenAI: chatOpenAi(false),
  'ChatOpenAI over Responses': chatOpenAi(true),
  ChatAnthropic: chatAnthropic(),
})
