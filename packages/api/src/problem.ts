import type { z } from 'zod'
import { countOf } from './fields/count-of.ts'
import { isDeeperThan } from './fields/is-deeper-than.ts'
import { maxLevels } from './fields/max-levels.ts'

/** Why a request is invalid: the field, and a message that names it and the fix. */
export type Problem = {
  readonly code: ProblemCode
  /** The path of the field, such as `messages[0].content`; null for the body as a whole. */
  readonly param: string | null
  readonly message: string
}

/** What is wrong with a field. */
export type ProblemCode = 'missing_field' | 'invalid_field' | 'unknown_field' | 'unpriced_field'

/** The parsed value, or its first problem. */
export type Parsed<Value> =
  | { readonly status: 'valid'; readonly value: Value }
  | { readonly status: 'invalid'; readonly problem: Problem }

/** Fields of other services that can change the cost of a call, and what to do instead. */
const unpricedFields: ReadonlyMap<string, string> = new Map([
  ['audio', 'Remove it.'],
  ['best_of', 'Use n instead, or remove it.'],
  ['cache_control', 'Put it on parts of messages or on tools, or remove it.'],
  ['modalities', 'Use ["text"], or remove it.'],
  ['plugins', 'Remove it.'],
  ['prediction', 'Remove it.'],
  ['route', 'Remove it.'],
  ['service_tier', 'Use "auto" or "default", or remove it.'],
  ['thinking', 'Use reasoning_effort instead, or remove it.'],
  ['transforms', 'Use [], or remove it.'],
  ['web_search_options', 'Remove it, or define your own search tool in tools.'],
])

/**
 * Lists and objects stop at their first invalid value: collecting a hundred thousand issues, of
 * which one is reported, takes 0.3 seconds.
 */
const toFirstIssue: z.core.ParseContextInternal<z.core.$ZodIssue> = {
  reportInput: true,
  abortEarly: true,
}

/**
 * Validates a value; if it is invalid, describes the first invalid field. `priced` has the fields that
 * this schema prices, although chat completions do not.
 */
export function parseWith<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  priced: readonly string[] = [],
): Parsed<z.output<Schema>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return wrongBody('must be a JSON object')
  }
  const result = schema.safeParse(body, toFirstIssue)
  if (result.success) {
    return isDeeperThan(body, maxLevels)
      ? wrongBody(`must be nested at most ${maxLevels} levels deep`)
      : { status: 'valid', value: result.data }
  }
  const [first] = result.error.issues
  if (first === undefined) throw result.error
  const [field] = first.path
  const fix = typeof field === 'string' ? unpricedFields.get(field) : undefined
  const isUnpriced = fix !== undefined && !priced.some((name) => name === field)
  const problem = isUnpriced ? unpricedField(first.path, fix) : explainIssue(first, [])
  return { status: 'invalid', problem }
}

function wrongBody(phrase: string): Parsed<never> {
  const message = `The body ${phrase}.`
  return { status: 'invalid', problem: { code: 'invalid_field', param: null, message } }
}

/** Turns an issue into a problem with the full path of its field. */
function explainIssue(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): Problem {
  const path = [...above, ...issue.path]
  if (issue.code === 'unrecognized_keys') return unknownField(path, issue.keys[0] ?? '')
  if (isAbsent(issue)) {
    const param = fieldPath(path)
    return { code: 'missing_field', param, message: `${param ?? 'The body'} is required.` }
  }
  if (hasNoKind(issue)) {
    const param = fieldPath(path)
    return { code: 'missing_field', param, message: `${param} is required: it ${phrase(issue)}.` }
  }
  if (issue.code === 'invalid_union') {
    const branch = mostSpecificBranch(issue.errors)
    if (branch !== undefined) return explainIssue(branch, path)
  }
  const param = fieldPath(path)
  return { code: 'invalid_field', param, message: `${param ?? 'The body'} ${phrase(issue)}.` }
}

function isAbsent(issue: z.core.$ZodIssue): boolean {
  return (
    (issue.code === 'invalid_type' || issue.code === 'invalid_union') && issue.input === undefined
  )
}

/** Whether an object lacks the field that tells its variants apart, such as `role`. */
function hasNoKind({ input, ...issue }: z.core.$ZodIssue): boolean {
  const field = 'discriminator' in issue ? issue.discriminator : undefined
  if (typeof field !== 'string' || typeof input !== 'object' || input === null) return false
  return !(field in input)
}

function unknownField(path: readonly PropertyKey[], key: string): Problem {
  const fix = unpricedFields.get(key)
  if (fix !== undefined) return unpricedField([...path, key], fix)
  const param = fieldPath([...path, key])
  return { code: 'unknown_field', param, message: `${param} is not a known field. Remove it.` }
}

function unpricedField(path: readonly PropertyKey[], fix: string): Problem {
  const param = fieldPath(path)
  const message = `${param} can change the cost of the call and is not supported. ${fix}`
  return { code: 'unpriced_field', param, message }
}

/** The issue of the branch that matched furthest, preferring one whose type fits: it helps most. */
function mostSpecificBranch(
  branches: readonly (readonly z.core.$ZodIssue[])[],
): z.core.$ZodIssue | undefined {
  const firsts = branches.flatMap((issues) => issues.slice(0, 1))
  const [deepest] = firsts.toSorted(
    (a, b) => b.path.length - a.path.length || Number(isTypeIssue(a)) - Number(isTypeIssue(b)),
  )
  const samePlace = firsts.every((issue) => issue.path.length === deepest?.path.length)
  const allTypes = firsts.every(isTypeIssue)
  return samePlace && allTypes && firsts.length > 1 ? undefined : deepest
}

function isTypeIssue(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_type' || issue.code === 'invalid_value'
}

function phrase(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${article(issue.expected)}`
    case 'too_small':
      return issue.message.startsWith('must') ? issue.message : `must ${least(issue)}`
    case 'too_big':
      return issue.message.startsWith('must') ? issue.message : `must ${most(issue)}`
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'is not an allowed key'
    case 'invalid_value':
      if (issue.message.startsWith('must')) return issue.message
      return oneOf(issue.values)
    case 'invalid_union':
      return unionPhrase(issue)
    default:
      return issue.message
  }
}

/** The unit of a length, by zod's name of the type. */
const counted: Readonly<Record<string, string>> = { string: 'character', array: 'item' }

function least({ origin, minimum }: z.core.$ZodIssueTooSmall): string {
  if (isExactBound(minimum)) return exactWhole
  return `${bound(origin)} at least ${amount(minimum, origin)}`
}

function most({ origin, maximum }: z.core.$ZodIssueTooBig): string {
  if (isExactBound(maximum)) return exactWhole
  return `${bound(origin)} at most ${amount(maximum, origin)}`
}

const exactWhole = 'be a whole number of at most 15 digits'

/** Beyond these a number of JSON is not exact: zod's bounds of whole numbers without their own. */
function isExactBound(value: number | bigint): boolean {
  return Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER
}

function bound(origin: string): string {
  return counted[origin] === undefined ? 'be' : 'have'
}

function amount(value: number | bigint, origin: string): string {
  const unit = counted[origin]
  return unit === undefined ? `${value}` : countOf(value, unit)
}

function unionPhrase(issue: z.core.$ZodIssueInvalidUnion): string {
  if (issue.message.startsWith('must')) return issue.message
  const options = 'options' in issue && Array.isArray(issue.options) ? issue.options : undefined
  if (options !== undefined) return oneOf(options) + adviceOn(issue)
  const expected = issue.errors.flatMap((issues) => issues.flatMap(expectedBy))
  return expected.length > 0 ? `must be ${[...new Set(expected)].join(' or ')}` : 'is not valid'
}

/** What to send instead of a part of a message that holds a file. */
function adviceOn({ input, ...issue }: z.core.$ZodIssueInvalidUnion): string {
  const field = 'discriminator' in issue ? issue.discriminator : undefined
  if (field !== 'type' || typeof input !== 'object' || input === null) return ''
  const { type } = input as { readonly type?: unknown }
  if (typeof type !== 'string' || !/file|document|audio|video/.test(type)) return ''
  return ': files are not read here. Send their text, or images of their pages'
}

/** An empty text is one of the texts that a field may have. */
function expectedBy(issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code === 'invalid_type') return [article(issue.expected)]
  if (issue.code !== 'invalid_value') return []
  return issue.values.filter((value) => value !== '').map((value) => JSON.stringify(value))
}

function oneOf(values: readonly unknown[]): string {
  const given = values.filter((value) => value !== undefined)
  const listed = given.map((value) => JSON.stringify(value)).join(', ')
  return given.length === 1 ? `must be ${listed}` : `must be one of ${listed}`
}

function article(expected: string): string {
  if (expected === 'int') return 'a whole number'
  if (expected === 'record') return 'an object'
  return `${/^[aeiou]/.test(expected) ? 'an' : 'a'} ${expected}`
}

function fieldPath(path: readonly PropertyKey[]): string | null {
  if (path.length === 0) return null
  const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
  return parts.join('').replace(/^\./, '')
}
