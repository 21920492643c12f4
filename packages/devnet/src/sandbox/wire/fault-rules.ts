import { type Instructions, parseInstructions } from './instructions.ts'

/** Instructions for requests that say nothing themselves. */
export type FaultRule = {
  /** As inside `[[sandbox: …]]`: `status=503, retry_after=1`. */
  readonly instruct: string
  /** Part of the path; every path unless given. */
  readonly path?: string
  /** The model id; every model unless given. */
  readonly model?: string
  /** How many requests it holds for; all unless given. */
  readonly times?: number
}

/** Rules that wear off. */
export type FaultRules = {
  set(rules: readonly FaultRule[]): void
  /** The instructions of the first rule that fits, counting the use of it. */
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
