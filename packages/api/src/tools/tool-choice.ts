import { z } from 'zod'
import { functionName } from './function-name.ts'

const namedTool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({ name: functionName }),
})

/** Whether the model may, must or must not call a tool, and which ones. */
export const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    namedTool,
    z.strictObject({
      type: z.literal('allowed_tools'),
      allowed_tools: z.strictObject({
        mode: z.enum(['auto', 'required']),
        tools: z.array(namedTool).min(1).max(1024),
      }),
    }),
  ]),
])

type ToolChoice = z.output<typeof toolChoice>
type AllowedTools = Extract<ToolChoice, { readonly type: 'allowed_tools' }>

type Tool = { readonly function: { readonly name: string } }
type ChoosingRequest = {
  readonly tools?: readonly Tool[] | undefined
  readonly tool_choice?: ToolChoice | undefined
}

/** The position of the first allowed tool that the request does not define. */
export function findUndefinedTool({
  tools = [],
  tool_choice,
}: ChoosingRequest): number | undefined {
  if (!isAllowedTools(tool_choice)) return undefined
  const defined = new Set(tools.map(({ function: { name } }) => name))
  const index = tool_choice.allowed_tools.tools.findIndex(
    ({ function: { name } }) => !defined.has(name),
  )
  return index === -1 ? undefined : index
}

/** A request whose choice among all tools is now one among those that it allows. */
export type WithAllowedTools<Request> = Omit<Request, 'tool_choice'> & {
  tool_choice?: Exclude<ToolChoice, AllowedTools> | undefined
}

/** Leaves out the tools that are not allowed, which every provider understands. */
export function withAllowedTools<Request extends ChoosingRequest>({
  tool_choice: choice,
  ...request
}: Request): WithAllowedTools<Request> {
  if (choice === undefined) return request
  if (!isAllowedTools(choice)) return { ...request, tool_choice: choice }
  const { mode, tools } = choice.allowed_tools
  const allowed = new Set(tools.map(({ function: { name } }) => name))
  return {
    ...request,
    tools: request.tools?.filter(({ function: { name } }) => allowed.has(name)),
    tool_choice: mode,
  }
}

function isAllowedTools(choice: ToolChoice | undefined): choice is AllowedTools {
  return typeof choice === 'object' && choice.type === 'allowed_tools'
}
