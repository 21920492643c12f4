import { z } from 'zod'
import type { CustomTool, ResponsesRequest } from './responses-request.ts'

/**
 * A custom tool takes plain text. It is offered to models as a function with one text, which is what
 * clients offer where custom tools are missing.
 */
export function customFunction({ name, description, format }: CustomTool): object {
  const text = 'The whole input of the tool, as plain text'
  const input =
    format?.type === 'grammar'
      ? `${text} that matches this ${format.syntax} grammar:\n${format.definition}`
      : `${text}.`
  return {
    name,
    ...(description && { description }),
    parameters: {
      type: 'object',
      properties: { input: { type: 'string', description: input } },
      required: ['input'],
      additionalProperties: false,
    },
  }
}

export function customToolNames({ tools }: ResponsesRequest): ReadonlySet<string> {
  return new Set(tools?.filter(({ type }) => type === 'custom').map(({ name }) => name))
}

/** The arguments of a call whose input is this text. */
export function argumentsOf(input: string): string {
  return JSON.stringify({ input })
}

const written = z.object({ input: z.string() })

/** The text that a model gave; arguments of another shape, as it wrote them. */
export function inputOf(args: string): string {
  try {
    return written.safeParse(JSON.parse(args)).data?.input ?? args
  } catch {
    return args
  }
}
