/**
 * The largest free request, 100 messages of 100,000 characters, while the calling thread does other
 * work: its time, and how long the event loop is blocked.
 *
 * Usage: `node bench/threads.ts`
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createTokenCounter } from '../src/node.ts'
import { shapes } from '../test/support/adversarial.ts'
import { corpora } from '../test/support/corpora.ts'

const counter = createTokenCounter({ cpuMilliseconds: 60_000, cacheBytes: 0 })
const chosen = ['a', '/', 'random CJK', 'random a-z']
const texts = new Map<string, string>([
  ...[...corpora(10_000_000)].filter(([name]) => ['English', 'mixed'].includes(name)),
  ...shapes
    .filter(({ name }) => chosen.includes(name))
    .map(({ name, make }) => [name, make(10_000_000)] as const),
])
await counter.countText('openai-o200k', 'warm '.repeat(50_000))
process.stdout.write('|10 million characters|wall ms|CPU ms|loop delay p99 ms|most ms|\n')
for (const [name, text] of texts) {
  const messages = Array.from({ length: 100 }, (_, index) => ({
    role: 'user',
    content: text.slice(index * 100_000, (index + 1) * 100_000),
  }))
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const cpu = process.cpuUsage()
  const start = performance.now()
  await counter.countChat({ counter: 'openai-o200k', messages })
  const wall = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  delay.disable()
  const cells = [wall, (user + system) / 1000, delay.percentile(99) / 1e6, delay.max / 1e6]
  process.stdout.write(`|${name}|${cells.map((cell) => cell.toFixed(1)).join('|')}|\n`)
}
await counter.close()
