import { isObject } from '../convert/is-object.ts'
import { kindOf } from '../vocabulary/require-argument.ts'

type Fields = Readonly<Record<string, unknown>>

/** Callers without types may pass anything; a call of another shape would be counted as nothing. */
export function requireCalls(path: string, message: Fields): void {
  const { tool_calls: calls, function_call: call, tool_call_id: id } = message
  if (id !== undefined) requireString(`${path}.tool_call_id`, id)
  // OpenAI's answers have `null` for no calls.
  if ((call ?? undefined) !== undefined) requireFunction(`${path}.function_call`, call)
  const list: unknown = calls ?? []
  if (!Array.isArray(list)) throw wrong(`${path}.tool_calls`, 'an array of calls', list)
  for (const [place, value] of list.entries()) requireCall(`${path}.tool_calls[${place}]`, value)
}

function requireCall(path: string, call: unknown): void {
  if (!isObject(call)) throw wrong(path, 'an object', call)
  const { id, function: called } = call
  if (id !== undefined) requireString(`${path}.id`, id)
  if (called !== undefined) requireFunction(`${path}.function`, called)
}

function requireFunction(path: string, called: unknown): void {
  if (!isObject(called)) throw wrong(path, 'an object with a name', called)
  const { name, arguments: json } = called
  requireString(`${path}.name`, name)
  if (json !== undefined) requireString(`${path}.arguments`, json, 'a string of JSON')
}

function requireString(path: string, value: unknown, what = 'a string'): void {
  if (typeof value !== 'string') throw wrong(path, what, value)
}

function wrong(path: string, what: string, value: unknown): TypeError {
  return new TypeError(`${path} must be ${what}, and is ${kindOf(value)}`)
}
