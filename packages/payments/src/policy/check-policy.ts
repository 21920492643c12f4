/**
 * Checks a policy against its defaults: `NaN` would never be reached, so that a refund would wait for that many
 * confirmations forever, and text would be joined instead of added.
 *
 * @throws {PaymentPolicyError} `invalid_payment_policy`, with the name of the member.
 */
export function checkPolicy(policy: object, defaults: object): void {
  checkMembers(policy, defaults, '')
}

/** `path` is that of the object within the policy, with a period at its end. */
function checkMembers(given: object, defaults: object, path: string): void {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(defaults, name))
  if (unknown !== undefined) {
    throw new PaymentPolicyError(path + unknown, 'is not a member of the policy')
  }
  const values = new Map<string, unknown>(Object.entries(given))
  for (const [name, usual] of Object.entries(defaults)) {
    const value = values.get(name)
    const problem = problemOf(value, usual)
    if (problem !== undefined) throw new PaymentPolicyError(path + name, problem)
    if (isGroup(usual) && isGroup(value)) checkMembers(value, usual, `${path}${name}.`)
  }
}

/** Whether a member has members of its own. */
function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function problemOf(value: unknown, usual: unknown): string | undefined {
  if (usual === null && value === null) return undefined
  if (usual !== null && (value === null || typeof value !== typeof usual)) {
    const kind = typeof usual === 'object' ? 'an object' : `a ${typeof usual}`
    return `must be ${kind} and is ${String(value)}`
  }
  const isBelow = (typeof value === 'number' || typeof value === 'bigint') && !(value >= 0)
  return isBelow || value === undefined
    ? `must be zero or above and is ${String(value)}`
    : undefined
}

/** A policy that cannot work. */
export class PaymentPolicyError extends Error {
  override readonly name = 'PaymentPolicyError'
  readonly code = 'invalid_payment_policy'
  constructor(member: string, problem: string) {
    super(`${member} ${problem}`)
  }
}
