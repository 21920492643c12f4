import type { NamedMutant } from './named-mutant.ts'

const route = 'apps/gateway/src/paid/paid-route.ts'
const delivery = 'apps/gateway/src/paid/deliver.ts'

export const gatewayMutants: readonly NamedMutant[] = [
  {
    name: 'M33: served although another replica serves',
    file: route,
    search: "if (begun.status !== 'begun') return decline(response, begun, { endpoint, budget })",
    replace: "if (begun.status !== 'begun') response.on('close', () => undefined)",
    tests: ['apps/gateway/test/paid/paid-route'],
  },
  {
    name: 'payers with code are not counted by network address',
    file: route,
    search: 'clientAddress: address,',
    replace: "clientAddress: 'one',",
    tests: ['apps/gateway/test/paid/paid-route'],
  },
  {
    name: 'a fault leaves the payment in service',
    file: delivery,
    search: 'await refundFault(error, call, endpoint)',
    replace: 'response.end(String(error))',
    tests: ['apps/gateway/test/paid/paid-route'],
  },
  {
    name: 'a payment without a body buys the example',
    file: route,
    search:
      "if (headers && body.status === 'absent') return refuse(missingBody(endpoint.requiredField))",
    replace: '',
    tests: ['apps/gateway/test/paid/paid-route'],
  },
  {
    name: 'a price is quoted while sales are stopped',
    file: route,
    search: 'if (headers === undefined && notSold !== undefined) return refuse(notSold)',
    replace: '',
    tests: ['apps/gateway/test/paid/sales-stop'],
  },
  {
    name: 'what failed upstream is billed',
    file: delivery,
    search: "if (completed.status === 'failed') {",
    replace: "if (completed.status === 'failed' && completed.error.code === 'aborted') {",
    tests: ['apps/gateway/test/paid/broken-answers'],
  },
  {
    name: 'served for a client that left',
    file: route,
    search: 'if (signal.aborted && mayBeAbandoned',
    replace: 'if (giveUp.aborted && mayBeAbandoned',
    tests: ['apps/gateway/test/paid/payer-budget', 'apps/gateway/test/paid/leavers'],
  },
  {
    name: 'the cost of another quote is charged',
    file: delivery,
    search: '...bill,\n',
    replace: '...bill, cost: payment.authorization.value,\n',
    tests: ['apps/gateway/test/paid/paid-path'],
  },
  {
    name: 'what is held back is sent before the cost is durable',
    file: delivery,
    search: 'const ended = await gate.complete(',
    replace:
      'finish(response, ending, { payment, headers: {} }); const ended = await gate.complete(',
    tests: ['apps/gateway/test/paid/paid-path'],
  },
  {
    name: 'a text upstream is billed without its input',
    file: 'apps/gateway/src/chat/bill-chat.ts',
    search: 'const input = reported ?? { inputTokens }',
    replace: 'const input = reported ?? { inputTokens: 0 * inputTokens }',
    tests: ['apps/gateway/test/chat'],
  },
  {
    name: 'a client that left pays for no reasoning',
    file: 'apps/gateway/src/chat/unmetered-basis.ts',
    search: "return mayReasonUnseen(reasoning) ? 'most' : 'counted'",
    replace: "return mayReasonUnseen(reasoning) ? 'counted' : 'counted'",
    tests: ['apps/gateway/test/chat'],
  },
]
