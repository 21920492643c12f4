import { ChatAnthropic } from '@langchain/anthropic'
import { ChatOpenAI } from '@langchain/openai'
import { langChainClients } from './langchain-conversation.ts'
import { testConversations } from './paid-conversations.ts'

// LangChain is slow to load. clients.test.ts has the interfaces that it speaks, with the SDKs below it.
testConversations(langChainClients({ ChatOpenAI, ChatAnthropic }))
