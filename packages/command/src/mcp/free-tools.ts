import type { ChatModelList, ImageModelList } from '@farebox/api'
import type { FareboxClient } from '@farebox/client'
import { formatDecimal } from '@farebox/money'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { namingModels } from '../show/naming-models.ts'
import { textResult, toolResult } from './tool-result.ts'

const reads = { readOnlyHint: true, openWorldHint: true }

const estimateInput = z.strictObject({
  prompt: z.string().min(1).describe('The message'),
  model: z.string().optional().describe('The id of a model, from the tool models'),
  max_tokens: z.int().positive().optional().describe('The maximum length of the answer'),
})

const modelsInput = z.strictObject({
  search: z.string().default('').describe('Part of an id or a name'),
  kind: z.enum(['chat', 'image']).default('chat'),
})

const paymentsInput = z.strictObject({
  id: z.string().optional().describe('A payment; without it, what this server has spent so far'),
})

type FreeOptions = { readonly client: FareboxClient }

/** Adds the tools that cost nothing. */
export function addFreeTools(server: McpServer, { client }: FreeOptions): void {
  server.registerTool(
    'estimate',
    {
      title: 'The price of a call',
      description: 'The most that a chat call can cost. Free.',
      inputSchema: estimateInput,
      annotations: reads,
    },
    async ({ prompt, model, max_tokens: maxTokens }, { signal }) =>
      await toolResult(async () => {
        const request = {
          messages: [{ role: 'user' as const, content: prompt }],
          ...(model !== undefined && { model }),
          ...(maxTokens !== undefined && { max_tokens: maxTokens }),
        }
        const estimate = await namingModels(
          { client, model, lister: 'chatTool', signal },
          async () => await client.estimate(request, { signal }),
        )
        return textResult(JSON.stringify(estimate))
      }),
  )
  server.registerTool(
    'models',
    {
      title: 'Models and prices',
      description:
        'The models for sale. Prices are US dollars per 1,000 tokens, or per image. Free.',
      inputSchema: modelsInput,
      annotations: reads,
    },
    async ({ search, kind }, { signal }) =>
      await toolResult(async () => {
        const list =
          kind === 'chat' ? await client.models({ signal }) : await client.images.models({ signal })
        return foundIn(list, search.toLowerCase())
      }),
  )
  server.registerTool(
    'payments',
    {
      title: 'Payments',
      description: 'What was spent so far, or the cost and the refund of one payment. Free.',
      inputSchema: paymentsInput,
      annotations: reads,
    },
    async ({ id }, { signal }) =>
      await toolResult(async () =>
        textResult(
          id === undefined
            ? `${formatDecimal(client.spent(), 6)} USDC spent so far`
            : JSON.stringify(await client.payment(id, { signal })),
        ),
      ),
  )
}

type ModelLists = ChatModelList | ImageModelList

function foundIn(list: ModelLists, words: string): CallToolResult {
  const found = list.models
    .filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(words))
    .map(({ id, pricing }) => ({ id, pricing }))
  // For what the prices of images are.
  const note = 'note' in list && { note: list.note }
  return textResult(JSON.stringify({ found: found.length, ...note, models: found.slice(0, 50) }))
}
