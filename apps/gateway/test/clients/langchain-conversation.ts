import type { AIMessageChunk, BaseMessageLike } from '@langchain/core/messages'
import type { Runnable } from '@langchain/core/runnables'
import { type Conversation, questions, result, type Setting } from './conversation.ts'

/** A chat model of LangChain with the weather tool bound to it. */
export type BoundModel = Runnable<BaseMessageLike[], AIMessageChunk>

/** Answers are pushed back as LangChain's own messages. */
export function langChainConversation(open: (setting: Setting) => BoundModel): Conversation {
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
