import type { ChatInput } from '@farebox/client'
import type { Command } from 'commander'
import type { CommandContext } from '../terminal/command-io.ts'
import { integerOption } from '../terminal/integer-option.ts'

export type ChatOptions = {
  readonly model?: string
  readonly system?: string
  readonly maxTokens?: number
}

export type Message = { readonly role: 'user' | 'assistant'; readonly content: string }

/** Adds the options of a chat request to a command. */
export function withChatOptions(command: Command): Command {
  return command
    .option('-m, --model <id>', 'the model (default: chosen by the gateway)')
    .option('-s, --system <text>', 'a system message')
    .option('--max-tokens <count>', 'the maximum length of the answer, in tokens', integerOption)
}

/** The request for these messages. */
export function chatInput(
  messages: readonly Message[],
  { system, model, maxTokens }: ChatOptions,
): ChatInput {
  return {
    messages: [
      ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
      ...messages,
    ],
    ...(model !== undefined && { model }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
  }
}

/** The text of the arguments, or else of standard input; without either it is wrong usage. */
export async function questionOf(
  text: string | undefined,
  { io, command }: CommandContext,
): Promise<string> {
  const question = text ?? (await io.piped())
  if (question.trim() !== '') return question
  return command.error('error: the question is empty. Give it as an argument, or pipe it in.')
}
