import type { FormatFraming, Framing, ToolFraming } from './framing.ts'

/** What calibration may add tokens for. */
export const addedNames = ['request', 'message', 'toolRequest', 'tool', 'format'] as const

/**
 * Tokens to add to a family's framing, or to take from it: per request, message, request with tools,
 * tool, and response format.
 */
export type AddedTokens = Readonly<Partial<Record<(typeof addedNames)[number], number>>>

/** The framing with these tokens. They raise the upper bound, but never lower it. */
export function withAddedTokens(framing: Framing, added: AddedTokens | undefined): Framing {
  if (added === undefined) return framing
  const { request = 0, message = 0, format = 0 } = added
  const { slack, responsesTools, formatOn = {} } = framing
  const roles = Object.entries(framing.roles ?? {}).map(
    ([role, own]) => [role, own + message] as const,
  )
  return {
    ...framing,
    fixed: framing.fixed + request,
    message: framing.message + message,
    roles: Object.fromEntries(roles),
    slack: {
      message: slack.message + kept(message),
      fixed: slack.fixed + kept(request),
    },
    tools: toolsWith(framing.tools, added),
    ...(responsesTools && { responsesTools: toolsWith(responsesTools, added) }),
    format: formatWith(framing.format, format),
    formatOn: Object.fromEntries(
      Object.entries(formatOn).map(([wire, own]) => [wire, formatWith(own, format)]),
    ),
  }
}

function formatWith(framing: FormatFraming, added: number): FormatFraming {
  const { likely, atMost } = framing
  return {
    ...framing,
    likely: { ...likely, request: likely.request + added },
    atMost: { ...atMost, request: atMost.request + raised(added) },
  }
}

function toolsWith(tools: ToolFraming, { toolRequest = 0, tool = 0 }: AddedTokens): ToolFraming {
  const { likely, atMost } = tools
  return {
    ...tools,
    likely: { ...likely, request: likely.request + toolRequest, tool: likely.tool + tool },
    atMost: {
      ...atMost,
      request: atMost.request + raised(toolRequest),
      tool: atMost.tool + raised(tool),
    },
  }
}

const raised = (added: number): number => Math.max(0, added)

/** What the bound must not lose where it is the count plus a slack. */
const kept = (added: number): number => Math.max(0, -added)
