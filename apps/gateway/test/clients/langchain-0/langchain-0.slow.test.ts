import { ChatAnthropic } from '@langchain/anthropic'
import { ChatOpenAI } from '@langchain/openai'
import { langChainClients } from '../langchain-conversation.ts'
import { testConversations } from '../paid-conversations.ts'

// The previous major release. ../langchain.slow.test.ts shows the same with the current one.
// Its types differ from those of its successor, and its calls do not.
type LangChain = Parameters<typeof langChainClients>[0]

testConversations(langChainClients({ ChatOpenAI, ChatAnthropic } as unknown as LangChain))
