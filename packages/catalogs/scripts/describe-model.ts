import type { ChatModel } from '../src/chat/chat-model.ts'
import { modelTraits } from '../src/chat/model-traits.ts'

/** One line: the maker, and the traits. */
export function describeChatModel(
  model: Pick<
    ChatModel,
    'name' | 'contextLength' | 'maxOutputTokens' | 'inputModalities' | 'reasoning'
  >,
  maker: string,
): string {
  return `${model.name} by ${maker}: ${modelTraits(model)}.`
}
