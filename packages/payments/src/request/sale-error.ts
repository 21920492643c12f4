const problems = {
  invalid_option: 'an option is not valid',
  invalid_price: 'price must return USDC above zero, as a bigint of atomic units',
  invalid_cost: 'serve must return its cost as a bigint of atomic units, not below zero',
  answer_sent: 'serve returned json, but had sent the response itself: do one of them',
  no_response: 'serve must return { response, cost }, with a Response and what it cost',
  body_used: 'serve returned a response whose body was read before: return a clone',
  no_status: 'serve returned Response.error(), which cannot be sent: throw an error instead',
} as const

/** What a sale returned cannot be sold. */
export class SaleError extends Error {
  override readonly name = 'SaleError'
  readonly code: keyof typeof problems
  constructor(code: keyof typeof problems, problem: string = problems[code]) {
    super(problem)
    this.code = code
  }
}
