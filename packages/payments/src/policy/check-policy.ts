/**
 * Checks a policy against its defaults: `NaN` would never be reached, so that a refund would wait for that many
 * confirmations forever, and text would be joined instead of added.
 *
 * @throws {PaymentPolicyError} `invalid_payment_policy`, with the name of the member.
 */
export function checkPolicy(policy: object, defaults: object): void {
  const usual = new Map<string, unknown>(Object.entries(defaults))
  for (const [name, value] of Object.entries(policy)) {
    if (!usual.has(name)) throw new PaymentPolicyError(name, 'is not a member of the policy')
    const problem = problemOf(value, usual.get(name))
    if (problem !== undefined) throw new PaymentPolicyError(name, problem)
  }
}

function problemOf(value: unknown, usual: unknown): string | undefined {
  if (usual === null && value === null) return undefined
  if (usual !== null && typeof value !== typeof usual) {
    return `must be a ${typeof usual} and is ${String(value)}`
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
