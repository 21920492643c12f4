import { type FareboxClient, FareboxError } from '@farebox/client'
import { answerText } from '../show/answer-text.ts'
import { cutOffNote } from '../show/cut-off-note.ts'
import { namingModels } from '../show/naming-models.ts'
import { payFor } from '../show/pay-for.ts'
import { showPayment } from '../show/show-payment.ts'
import { usdcText } from '../show/usdc-text.ts'
import { withAdvice } from '../show/with-advice.ts'
import { withinPrice } from '../show/within-price.ts'
import { type CommandContext, type CommandIo, colored } from '../terminal/command-io.ts'
import { wantsJson, writeResult } from '../terminal/write-result.ts'
import { requireWallet, type WalletOptions } from '../wallet/find-wallet.ts'
import { openPurse, type Purse } from '../wallet/open-purse.ts'
import { type ChatOptions, chatInput, type Message, questionOf } from './chat-input.ts'

/** `farebox chat [text]`: the price first, then the answer, then its cost. */
export async function runChat(
  text: string | undefined,
  { io, command }: CommandContext,
): Promise<void> {
  const options = command.optsWithGlobals<ChatOptions & WalletOptions>()
  await requireWallet(options, io)
  const purse = await openPurse(command, io)
  if (text === undefined && io.lines !== undefined) {
    return await converse(purse, options, { io, lines: io.lines() })
  }
  const messages = [{ role: 'user' as const, content: await questionOf(text, { io, command }) }]
  if (wantsJson(command)) await printJson(purse, chatInput(messages, options), { io, command })
  else await answer(purse, chatInput(messages, options), io)
}

type Talk = { readonly io: CommandIo; readonly lines: AsyncIterable<string> }

/** A conversation, until the input ends. Each turn is a separate call, with its own price. */
async function converse(purse: Purse, options: ChatOptions, { io, lines }: Talk): Promise<void> {
  const messages: Message[] = []
  const prompt = colored(io, 'bold', '> ')
  io.note('Ask anything; Ctrl-D ends. Each turn is priced and paid separately.')
  io.write(prompt)
  for await (const line of lines) {
    if (line.trim() !== '') {
      const question = { role: 'user', content: line } as const
      // The next question need not wait for the refund of the last one.
      const content = await answer(
        { ...purse, isDevnet: false },
        chatInput([...messages, question], options),
        io,
      ).catch((error: unknown) => noteFailure(error, io))
      if (content !== undefined) messages.push(question, { role: 'assistant', content })
    }
    io.write(prompt)
  }
  // The cost goes on its own line.
  io.write('\n')
  // Ctrl-C ends the input too, and is not its end.
  io.signal.throwIfAborted()
}

/** A turn that fails does not end the conversation; it is left out of it. */
function noteFailure(error: unknown, io: CommandIo): undefined {
  if (!(error instanceof FareboxError) || io.signal.aborted) throw error
  io.note(colored(io, 'yellow', `farebox: ${withAdvice(error)}`))
}

type Request = Parameters<FareboxClient['chat']>[0]

async function answer(purse: Purse, request: Request, io: CommandIo): Promise<string> {
  const { client } = purse
  const { signal } = io
  const named = { client, model: request.model, lister: 'chatCommand', signal } as const
  const { model, estimatedCost } = await namingModels(
    named,
    async () => await client.estimate(request, { signal }),
  )
  io.note(colored(io, 'dim', `${model}, at most ${usdcText(estimatedCost.usd)}`))
  const { text, note, paymentId } = await payFor(purse, io, async (remember) => {
    const stream = await withinPrice(
      purse,
      estimatedCost,
      async (maxAmount) => await client.chatStream(request, { signal, maxAmount }),
    )
    const paymentId = stream.receipt?.paymentId
    await remember(paymentId)
    let text = ''
    let note: string | undefined
    for await (const chunk of stream) {
      const { delta, finish_reason: finishReason } = chunk.choices[0] ?? {}
      const piece = delta?.content ?? delta?.refusal ?? ''
      text += piece
      note ??= cutOffNote(finishReason)
      io.write(answerText(piece))
    }
    return { text, note, paymentId }
  })
  io.write('\n')
  if (note !== undefined) io.note(colored(io, 'yellow', note))
  await showPayment(purse, paymentId, io)
  return text
}

async function printJson(
  purse: Purse,
  request: Request,
  { io, command }: CommandContext,
): Promise<void> {
  const { client } = purse
  const { signal } = io
  const named = { client, model: request.model, lister: 'chatCommand', signal } as const
  const { completion, receipt } = await payFor(purse, io, async (remember) => {
    const answer = await namingModels(named, async () => await client.chat(request, { signal }))
    await remember(answer.receipt?.paymentId)
    return answer
  })
  const payment = await showPayment(purse, receipt?.paymentId, io)
  writeResult(command, io, { json: { completion, payment: payment ?? null }, text: '' })
}
