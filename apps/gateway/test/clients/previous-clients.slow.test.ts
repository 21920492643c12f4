import * as ai6 from 'ai-6'
import { createAnthropic } from 'ai-sdk-anthropic-3'
import { createOpenAI } from 'ai-sdk-openai-3'
import { createOpenAICompatible } from 'ai-sdk-openai-compatible-2'
import Anthropic from 'anthropic-sdk-0'
import OpenAI from 'openai-6'
import * as agents from 'openai-agents-0-19'
import { createOpenRouter } from 'openrouter-ai-sdk-provider-2'
import * as openRouter from 'openrouter-sdk-0'
import { type AgentsSdk, agentsConversation } from './agents-conversation.ts'
import { type AiSdk, aiConversation, aiModel } from './ai-conversations.ts'
import { anthropicMessages } from './anthropic-conversation.ts'
import { openAiChat, openAiParse, openAiResponses, openAiRunTools } from './openai-conversations.ts'
import { type OpenRouterSdk, openRouterChat } from './openrouter-conversation.ts'
import { testConversations } from './paid-conversations.ts'

// The previous major releases. clients.test.ts shows the same with the current ones.
// Their types differ from those of their successors, and their calls do not.
type Create = Parameters<typeof aiModel>[0]
const sdk = { ...ai6, stopAfter: ai6.stepCountIs } as unknown as AiSdk
const unstored = { openai: { store: false } }
const openai6 = OpenAI as unknown as Parameters<typeof openAiChat>[0]
const model = (create: unknown, options?: typeof unstored, id?: string) =>
  aiConversation(sdk, aiModel(create as Create, options, id))

testConversations({
  'openai chat': openAiChat(openai6),
  'openai parse': openAiParse(openai6),
  'openai runTools': openAiRunTools(openai6),
  'openai Responses': openAiResponses(openai6),
  'ai over openai': model(createOpenAI, unstored, 'gpt-5.5'),
  'ai over openai chat': model(
    (options: Parameters<Create>[0]) => createOpenAI(options).chat,
    undefined,
    'gpt-5.5',
  ),
  'ai over openai-compatible': model((options: Parameters<Create>[0]) =>
    createOpenAICompatible({ ...options, name: 'farebox' }),
  ),
  'ai over anthropic': model(createAnthropic),
  'ai over openrouter': model(createOpenRouter),
  'openrouter sdk': openRouterChat(openRouter as unknown as OpenRouterSdk),
  'anthropic sdk': anthropicMessages(
    Anthropic as unknown as Parameters<typeof anthropicMessages>[0],
  ),
  'agents over Responses': agentsConversation(agents as unknown as AgentsSdk, 'responses', openai6),
  'agents over chat': agentsConversation(agents as unknown as AgentsSdk, 'chat', openai6),
})
