import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import Anthropic from '@anthropic-ai/sdk'
import * as agents from '@openai/agents'
import { createOpenRouter } from '@openrouter/ai-sdk-provider'
import * as openRouter from '@openrouter/sdk'
import { generateText, isStepCount, jsonSchema, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { agentsConversation } from './agents-conversation.ts'
import { aiConversation, aiModel } from './ai-conversations.ts'
import { anthropicMessages, anthropicToolRunner } from './anthropic-conversation.ts'
import { openAiChat, openAiParse, openAiResponses, openAiRunTools } from './openai-conversations.ts'
import { openRouterChat } from './openrouter-conversation.ts'
import { testConversations } from './paid-conversations.ts'

// The current major releases; previous-clients.slow.test.ts has those before them.
const sdk = { generateText, streamText, jsonSchema, tool, stopAfter: isStepCount }
/** Items are kept by the client, since nothing is stored at the gateway. */
const unstored = { openai: { store: false } }

testConversations({
  'openai chat': openAiChat(OpenAI),
  'openai parse': openAiParse(OpenAI),
  'openai runTools': openAiRunTools(OpenAI),
  'openai Responses': openAiResponses(OpenAI),
  'ai over openai': aiConversation(sdk, aiModel(createOpenAI, unstored, 'gpt-5.5')),
  'ai over openai chat': aiConversation(
    sdk,
    aiModel((options) => createOpenAI(options).chat, undefined, 'gpt-5.5'),
  ),
  'ai over openai-compatible': aiConversation(
    sdk,
    aiModel((options) => createOpenAICompatible({ ...options, name: 'farebox' })),
  ),
  'ai over anthropic': aiConversation(sdk, aiModel(createAnthropic)),
  'ai over openrouter': aiConversation(sdk, aiModel(createOpenRouter)),
  'openrouter sdk': openRouterChat(openRouter),
  'anthropic sdk': anthropicMessages(Anthropic),
  'anthropic toolRunner': anthropicToolRunner(Anthropic),
  'agents over Responses': agentsConversation(agents, 'responses'),
  'agents over chat': agentsConversation(agents, 'chat'),
})
