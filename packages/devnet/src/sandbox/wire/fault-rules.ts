import { type Instructions, parseInstructions } from './instructions.ts'

/** Instructions that apply to matching requests. */
export type FaultRule = {
  /** As inside `[[sandbox: …]]`: `status=503, retry_after=1`. */
  readonly instruct: string
  /** Part of the path. Defaults to every path. */
  readonly path?: string
  /** The model id. Defaults to every model. */
  readonly model?: string
  /** How many requests it applies to. Defaults to all. */
  readonly times?: number
}

/** The rules in force, with their remaining uses. */
export type FaultRules = {
  set(rules: readonly FaultRule[]): void
  /** Returns the instructions of the first matching rule, and counts one use. */
  take(path: string, model: string): Instructions
}

export function createFaultRules(): FaultRules {
  let rules: { rule: FaultRule; instructions: Instructions; left: number }[] = []
  return {
    set(given) {
      rules = given.map((rule) => ({
        rule,
        instructions: parseInstructions(rule.instruct),
        left: rule.times ?? Number.POSITIVE_INFINITY,
      }))
    },
    take(path, model) {
      const entry = rules.find(({ rule, left }) => left > 0 && fits(rule, path, model))
      if (entry === undefined) return new Map()
      entry.left -= 1
      return entry.instructions
    },
  }
}

function fits(rule: FaultRule, path: string, model: string): boolean {
  if (rule.path !== undefined && !path.includes(rule.path)) return false
  return rule.model === undefined || rule.model === model
}
