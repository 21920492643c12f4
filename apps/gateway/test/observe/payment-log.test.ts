import type { Logger } from '@farebox/http/log'
import type { ChannelRecord } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import type { PaymentNotice } from '@farebox/payments'
import { expect, test } from 'vitest'
import { paymentLog } from '../../src/observe/payment-log.ts'

const [channelId, payer, transaction] = ['0xc4', '0x9a', '0x7c'] as const
const channel = {
  id: channelId,
  config: { payer },
  charged: atomicUsdc(4_000n),
} as unknown as ChannelRecord
const amount = atomicUsdc(96_000n)

test.each<readonly [PaymentNotice, 'info' | 'warn', Readonly<Record<string, string>>]>([
  [
    { type: 'channel_deposited', channelId, payer, amount, transaction },
    'info',
    { amount: '96000', transaction },
  ],
  [{ type: 'channel_closing', channel, reason: 'idle' }, 'info', { reason: 'idle' }],
  [
    { type: 'channel_closed', channel, by: 'refund', amount, transaction },
    'info',
    { by: 'refund', amount: '96000', charged: '4000', transaction },
  ],
  [
    { type: 'channel_returned', channel, by: 'withdrawal', amount, transaction },
    'info',
    { by: 'withdrawal', amount: '96000', charged: '4000', transaction },
  ],
  [
    { type: 'channel_movement_lost', channel, kind: 'claim', amount, transaction },
    'warn',
    { kind: 'claim', amount: '96000', transaction },
  ],
])('a line names the channel, its payer and what moved: $type', (notice, level, expected) => {
  const lines: unknown[] = []
  const at = (name: string) => (line: object) => lines.push({ level: name, ...line })
  const logger = { info: at('info'), warn: at('warn') } as unknown as Logger
  paymentLog(logger, () => 0)(notice)
  expect(lines).toEqual([{ level, event: notice.type, channelId, payer, ...expected }])
})
