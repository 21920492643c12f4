import type { FaultOutcome } from './run-fault.ts'

const columns = [
  'dependency',
  'fault',
  'health',
  'payment at once',
  'payment later',
  'log events',
  'afterwards',
  'sells again',
]

/** The page of all outcomes. */
export function faultPage(outcomes: readonly FaultOutcome[]): string {
  const rows = outcomes.map((one) => [
    one.part,
    one.fault,
    code(one.health),
    code(one.first),
    code(one.later),
    one.logged === '' ? '' : code(one.logged),
    code(one.afterwards),
    `${(one.recoveryMs / 1000).toFixed(1)} s`,
  ])
  return `${introduction}\n${row(columns)}\n${row(columns.map(() => '---'))}\n${rows.map(row).join('\n')}\n`
}

/** The rows of a page as they must be in every run. */
export function stableRows(page: string): readonly string[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| dependency'))
    .map((line) => {
      const cells = line.slice(2, -2).split(' | ')
      const [part, fault, health = '', first, later, , afterwards] = cells
      // What a flapping dependency does to one request is a matter of moments.
      if (fault === 'flapping') return `${part} flapping`
      // Refunds pause on their own account.
      const stable = health.replace('degraded refunds_paused', 'ok').replace(' refunds_paused', '')
      return [part, fault, stable, first, later, afterwards].join(' | ')
    })
}

function code(text: string): string {
  return text
    .split(', ')
    .map((part) => `\`${part}\``)
    .join(', ')
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

const introduction = `# Faults

What a gateway does while something that it depends on is broken. Each row is from one run of
[faults.slow.test.ts](../apps/gateway/test/faults/faults.slow.test.ts): a gateway process on a devnet, with a
remote facilitator, a provider, PostgreSQL and Redis behind proxies that break connections, and another on
SQLite, which also has the provider that hangs. The test fails if an outcome differs from this table, or if the
audit at the end finds a difference.
\`WRITE_FAULTS=1 npm test -- --all apps/gateway/test/faults\` writes the table again.

- **down**: connections are refused. **hanging**: connections are accepted and stay open, and nothing passes.
  **slow**: each piece of an answer is a second late. **flapping**: alternately down and up, 400 ms each.
  **wrong**: a node of another chain, a facilitator that reports settlements that it does not send; every other
  dependency answers with a web page. **locked**: another process holds the lock of the SQLite file. **full**:
  no file can grow.
- **payment at once**: the answer to a payment that was signed before and is sent as the fault begins, before
  the gateway has noticed it. **payment later**: the answer to another payment, sent as soon as the health shows
  the fault, or after eight seconds.
- **health**: what \`/v1/health\` says at that moment.
- **log events**: the events of level 40 or higher that were logged, each once.
- **afterwards**: the answers to the same two payments, presented again once the fault is over: \`200\` is the
  response that was paid for, and \`503 upstream_unavailable\` or \`503 upstream_timeout\` the stored answer of
  a call that failed and is refunded in full.
- **sells again**: from the end of the fault until the health is \`ok\` and prices are quoted, without a
  restart. A devnet is checked every two seconds, another network every 15 seconds, and every second while
  something is down. The end of an outage of Redis is noticed after five seconds without a failure.

The gateway waits for a provider that hangs: for up to four and a half minutes until the first token, two where the
model does not reason, and for one minute between two bytes after that. Then the call ends: what was delivered is
billed, the rest is refunded.
After 20 such calls in a row \`provider_down\` is logged, and the provider is left out: see
[Providers](operations/providers.md#providers).

Answers of flapping dependencies, events and times differ from run to run.
`
