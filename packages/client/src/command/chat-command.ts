import { Command } from 'commander'
import type { ChatInput } from '../call/request-input.ts'
import type { FareboxClient } from '../create-farebox-client.ts'
import { type CommandIo, clientFor, type GlobalOptions, writeResult } from './command-context.ts'
import { integerOption } from './integer-option.ts'
import { paymentLines, receiptLine } from './payment-lines.ts'

type ChatOptions = GlobalOptions & {
  readonly model?: string
  readonly system?: string
  readonly maxTokens?: number
  readonly temperature?: number
  readonly stream: boolean
}

/** `farebox chat "text"`: asks a model and streams its answer to the output. */
export function chatCommand(io: CommandIo): Command {
  return withChatOptions(new Command('chat'))
    .description('ask a model and pay for its answer')
    .option('--no-stream', 'wait for the whole answer')
    .action(async (text: string, options: ChatOptions, command: Command) => {
      const client = await clientFor(command, io)
      const request = chatInput(text, options)
      const waits = !options.stream || command.optsWithGlobals<GlobalOptions>().json === true
      await (waits
        ? printCompletion(client, request, { io, command })
        : streamCompletion(client, request, io))
    })
}

/** `farebox estimate "text"`: the maximum cost of the call; free. */
export function estimateCommand(io: CommandIo): Command {
  return withChatOptions(new Command('estimate'))
    .description('the maximum cost of a chat call (free)')
    .action(async (text: string, options: ChatOptions, command: Command) => {
      const client = await clientFor(command, io)
      const estimate = await client.estimate(chatInput(text, options), { signal: io.signal })
      const { model, estimatedCost, estimatedInputTokens, estimatedOutputTokens } = estimate
      writeResult(command, io, {
        json: estimate,
        text: `at most $${estimatedCost.usd} for ${estimatedInputTokens} input and up to ${estimatedOutputTokens} output tokens of ${model}`,
      })
    })
}

function withChatOptions(command: Command): Command {
  return command
    .argument('<text>', 'the message to send')
    .option('-m, --model <id>', 'the model (default: chosen by the gateway)')
    .option('-s, --system <text>', 'a system message')
    .option('--max-tokens <count>', 'the maximum length of the answer, in tokens', integerOption)
}

function chatInput(text: string, { system, model, maxTokens }: ChatOptions): ChatInput {
  return {
    messages: [
      ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
      { role: 'user', content: text },
    ],
    ...(model !== undefined && { model }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
  }
}

async function streamCompletion(
  client: FareboxClient,
  request: ChatInput,
  io: CommandIo,
): Promise<void> {
  const stream = await client.chatStream(request, { signal: io.signal })
  if (stream.receipt !== undefined) io.note(receiptLine(stream.receipt))
  for await (const chunk of stream) io.write(chunk.choices[0]?.delta.content ?? '')
  io.write('\n')
  const payment = stream.payment()
  if (payment !== undefined) io.note(paymentLines(payment))
}

async function printCompletion(
  client: FareboxClient,
  request: ChatInput,
  { io, command }: { readonly io: CommandIo; readonly command: Command },
): Promise<void> {
  const { completion, receipt } = await client.chat(request, { signal: io.signal })
  writeResult(command, io, {
    json: completion,
    text: completion.choices[0]?.message.content ?? '',
  })
  if (receipt === undefined) return
  io.note(receiptLine(receipt))
  if (receipt.paymentId !== undefined) {
    io.note(paymentLines(await client.payment(receipt.paymentId, { signal: io.signal })))
  }
}
