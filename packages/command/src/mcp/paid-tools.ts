import type { ImageResultBody } from '@farebox/api'
import { type FareboxClient, FareboxError, type PaymentReceipt } from '@farebox/client'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { cutOffNote } from '../show/cut-off-note.ts'
import { modelAndCost } from '../show/model-and-cost.ts'
import { namingModels } from '../show/naming-models.ts'
import { unnamedPayment } from '../show/unnamed-payment.ts'
import { textResult, toolResult } from './tool-result.ts'

type Image = ImageResultBody['images'][number]

type PaidOptions = {
  readonly client: FareboxClient
  readonly paid: (paymentId: string) => Promise<void>
  readonly takeNotes: () => readonly string[]
}

const spends = { readOnlyHint: false, destructiveHint: false, openWorldHint: true }

// A misspelled argument would be dropped, and the call would cost more than its caller meant.
const chatInput = z.strictObject({
  prompt: z.string().min(1).describe('The message'),
  system: z.string().optional().describe('A system message'),
  model: z.string().optional().describe('The id of a model, from the tool models'),
  max_tokens: z.int().positive().optional().describe('The maximum length of the answer'),
})

const imageInput = z.strictObject({
  prompt: z.string().min(1).max(3000).describe('A description of the image'),
  model: z.string().optional().describe('The id of an image model, from the tool models'),
  width: z.int().optional().describe('128 to 2048, divisible by 64'),
  height: z.int().optional().describe('128 to 2048, divisible by 64'),
})

/** Adds the tools that spend money. */
export function addPaidTools(server: McpServer, options: PaidOptions): void {
  server.registerTool(
    'chat',
    {
      title: 'Ask a model',
      description: 'Asks a model of any provider. Costs money: estimate gives the maximum.',
      inputSchema: chatInput,
      annotations: spends,
    },
    async ({ prompt, system, ...rest }, { signal }) =>
      await paidResult(options, async () => {
        const messages = [
          ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
          { role: 'user' as const, content: prompt },
        ]
        const request = { messages, ...present(rest) }
        const { client } = options
        const { completion, receipt } = await namingModels(
          { client, model: request.model, lister: 'chatTool', signal },
          async () => await client.chat(request, { signal }),
        )
        const { message, finish_reason: finishReason } = completion.choices[0] ?? {}
        const text = message?.content ?? message?.refusal ?? ''
        const note = cutOffNote(finishReason)
        const result = note === undefined ? textResult(text) : textResult(text, note)
        return await withCost(result, receipt, options)
      }),
  )
  server.registerTool(
    'image',
    {
      title: 'Generate an image',
      description: 'Generates an image. Costs money: models gives the prices.',
      inputSchema: imageInput,
      annotations: spends,
    },
    async ({ prompt, ...rest }, { signal }) =>
      await paidResult(options, async () => {
        const request = { prompt, ...present(rest), response_format: 'b64_json' as const }
        const { client } = options
        const { result, receipt } = await namingModels(
          { client, model: request.model, lister: 'imageTool', signal },
          async () => await client.images.generate(request, { signal }),
        )
        return await withCost(imageResult(result.images[0]), receipt, options)
      }),
  )
}

/** Fields that may be undefined as fields that may be absent. */
function present<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>
  }
}

/** Runs a tool that pays. The payment of a call that fails is reported too. */
async function paidResult(
  { paid }: PaidOptions,
  run: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  return await toolResult(async () => {
    try {
      return await run()
    } catch (error) {
      if (error instanceof FareboxError && error.paymentId !== undefined) {
        await paid(error.paymentId)
      }
      throw error
    }
  })
}

/** Adds what the call cost and why no payment channel paid it, and reports the payment. */
async function withCost(
  result: CallToolResult,
  receipt: PaymentReceipt | undefined,
  { client, paid, takeNotes }: PaidOptions,
): Promise<CallToolResult> {
  // The free quota served the call.
  if (receipt === undefined) return result
  const { paymentId } = receipt
  if (paymentId === undefined) return withTexts(result, unnamedPayment, ...takeNotes())
  await paid(paymentId)
  // The answer is paid for: it is given even if the gateway does not answer any more.
  const call = await modelAndCost(client, paymentId)
  const text = [...call, `payment ${paymentId}`].join(', ')
  return withTexts(result, text, ...takeNotes())
}

function withTexts({ content }: CallToolResult, ...texts: readonly string[]): CallToolResult {
  return { content: [...content, ...textResult(...texts).content] }
}

/** An image without bytes is paid for too: its address is given instead. */
function imageResult(image: Image | undefined): CallToolResult {
  const { b64_json: data, url = '' } = image ?? {}
  if (data === undefined) return textResult(url)
  return { content: [{ type: 'image', data, mimeType: mimeType(data) }] }
}

/** The type of an image, by its first bytes in base64. */
function mimeType(data: string): string {
  if (data.startsWith('/9j/')) return 'image/jpeg'
  return data.startsWith('UklGR') ? 'image/webp' : 'image/png'
}
