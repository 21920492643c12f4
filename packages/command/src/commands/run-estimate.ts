import { namingModels } from '../show/naming-models.ts'
import { usdcText } from '../show/usdc-text.ts'
import type { CommandContext } from '../terminal/command-io.ts'
import { writeResult } from '../terminal/write-result.ts'
import { openPurse } from '../wallet/open-purse.ts'
import { type ChatOptions, chatInput, questionOf } from './chat-input.ts'

/** `farebox estimate [text]`: the maximum cost of the call. */
export async function runEstimate(
  text: string | undefined,
  { io, command }: CommandContext,
): Promise<void> {
  const { client } = await openPurse(command, io)
  const content = await questionOf(text, { io, command })
  const request = chatInput([{ role: 'user', content }], command.optsWithGlobals<ChatOptions>())
  const { signal } = io
  const estimate = await namingModels(
    { client, model: request.model, lister: 'chatCommand', signal },
    async () => await client.estimate(request, { signal }),
  )
  const { model, estimatedCost, estimatedInputTokens, estimatedOutputTokens } = estimate
  writeResult(command, io, {
    json: estimate,
    text: `at most ${usdcText(estimatedCost.usd)}: ${estimatedInputTokens} input and up to ${estimatedOutputTokens} output tokens of ${model}`,
  })
}
