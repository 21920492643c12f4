import { at, type Json, listAt, number, text } from './json-events.ts'
import {
  type CallReading,
  distinctSeals,
  emptyChoice,
  type Reading,
  type SealReading,
  type UsageReading,
} from './reading.ts'

/** Responses of `generateContent`, one or a stream of them. */
export function readGemini(events: readonly Json[]): Reading {
  const candidates = events.flatMap((event) => listAt(event, 'candidates').slice(0, 1))
  const parts = candidates.flatMap((candidate) => listAt(at(candidate, 'content'), 'parts'))
  const isBlocked = events.some((event) => text(at(event, 'promptFeedback'), 'blockReason') !== '')
  const given = candidates.map((candidate) => text(candidate, 'finishReason')).filter(Boolean)
  const reason = isBlocked ? 'SAFETY' : given.at(-1)
  if (reason === undefined) return { error: 'upstream_truncated' }
  const calls = parts.filter((part) => 'functionCall' in part).map(callOf)
  // Arguments in pieces, which are not asked for: each piece is a call without a name.
  if (calls.some(({ name }) => name === '')) return { error: 'upstream_unusable' }
  return {
    choices: [
      {
        ...emptyChoice,
        text: joined(parts.filter((part) => part['thought'] !== true)),
        reasoning: joined(parts.filter((part) => part['thought'] === true)),
        calls,
        seals: sealsOf(parts),
        finish: finishOf(reason, calls),
      },
    ],
    usage: events.map(readUsage).findLast((usage) => usage !== null) ?? null,
  }
}

function joined(parts: readonly Json[]): string {
  return parts.map((part) => text(part, 'text')).join('')
}

function callOf(part: Json): CallReading {
  const call = at(part, 'functionCall')
  return { id: text(call, 'id') || null, name: text(call, 'name'), arguments: at(call, 'args') }
}

function sealsOf(parts: readonly Json[]): readonly SealReading[] {
  const calls = parts.filter((part) => 'functionCall' in part)
  const sealed = parts.filter((part) => text(part, 'thoughtSignature') !== '')
  return distinctSeals(
    sealed.map((part) => {
      const call = calls.indexOf(part)
      return { seal: text(part, 'thoughtSignature'), call: call < 0 ? null : call }
    }),
  )
}

function finishOf(reason: string, calls: readonly CallReading[]): string {
  if (reason === 'MAX_TOKENS') return 'length'
  if (['SAFETY', 'MODEL_ARMOR', 'RECITATION'].includes(reason)) return 'content_filter'
  return calls.length > 0 ? 'tool_calls' : 'stop'
}

function readUsage(event: Json): UsageReading | null {
  const usage = at(event, 'usageMetadata')
  const prompt = number(usage, 'promptTokenCount')
  if (prompt === undefined) return null
  const reasoning = number(usage, 'thoughtsTokenCount') ?? 0
  return {
    input: prompt + (number(usage, 'toolUsePromptTokenCount') ?? 0),
    output: (number(usage, 'candidatesTokenCount') ?? 0) + reasoning,
    cacheRead: number(usage, 'cachedContentTokenCount') ?? 0,
    cacheWrite: 0,
    reasoning,
    cost: null,
  }
}
