import { DatabaseSync } from 'node:sqlite'

const batch = 50_000
const dayMs = 86_400_000

/**
 * Fills a ledger in SQLite with payments of a year that were served, refunded and are final, with their
 * refunds, entries and service starts. Nonces and transactions are spread over their indexes, as
 * random ones are.
 */
export function fillLedger(file: string, payments: number): void {
  const database = new DatabaseSync(file)
  database.exec('pragma synchronous = off; pragma cache_size = -1000000')
  const begunAt = Date.now() - 365 * dayMs
  const everyMs = Math.floor((365 * dayMs) / payments)
  for (let low = 1; low <= payments; low += batch) {
    const rows = { low, high: Math.min(payments, low + batch - 1), begunAt, everyMs }
    database.exec(`begin;${statements(rows).join(';')};commit`)
  }
  database.exec('pragma wal_checkpoint(truncate)')
  database.close()
}

type Rows = {
  readonly low: number
  readonly high: number
  readonly begunAt: number
  readonly everyMs: number
}

/** An odd factor gives each number below 2 to the 32 another one. */
const spread = 'printf("%08x", (n * 2654435761) % 4294967296)'.replaceAll('"', "'")

function hex(tag: string, digits: number): string {
  return `'0x' || ${spread} || printf('${tag}%0${digits - 8 - tag.length}x', n)`
}

function statements({ low, high, begunAt, everyMs }: Rows): readonly string[] {
  const series = `with recursive s(n) as (select ${low} union all select n + 1 from s where n < ${high})`
  const [token, treasury] = [`'0x${'a5'.repeat(20)}'`, `'0x${'7e'.repeat(20)}'`]
  const payer = "printf('0xfa%038x', n % 50000)"
  const at = `${begunAt} + n * ${everyMs}`
  const entries: readonly (readonly [debit: string, credit: string, amount: number])[] = [
    ['treasury', 'liability', 1000],
    ['liability', 'refunds_payable', 600],
    ['liability', 'revenue', 400],
    ['refunds_payable', 'treasury', 600],
  ]
  const filled = `payment where created_at between ${begunAt + low * everyMs} and ${begunAt + high * everyMs}`
  return [
    `insert into payout (nonce, version, chain_id, asset, payer, amount, status, signature, signed_at,
       transaction_hash, proof_transaction, proof_block, proof_block_hash, proof_log_index, attempts,
       next_attempt_at, created_at, updated_at)
     ${series} select ${hex('4e', 64)}, 5, 8453, ${token}, ${payer}, 600, 'final', '0x01', ${at},
       ${hex('7b', 64)}, ${hex('7b', 64)}, n, ${hex('b1', 64)}, 1, 1, ${at}, ${at}, ${at} from s`,
    `insert into payment (id, version, status, network, chain_id, asset, payer, pay_to, value, nonce,
       valid_after, valid_before, request_digest, resource, model, price_version, intent_block,
       settlement_transaction, settlement_block, settlement_block_hash, settlement_log_index,
       settlement_final, cost, usage, refund_amount, refund_status, refund_nonce, refund_transaction,
       unfinished, created_at, updated_at)
     ${series} select 'pay_' || lower(hex(randomblob(16))), 5, 'completed', 'eip155:8453', 8453, ${token},
       ${payer}, ${treasury}, 1000, ${hex('ab', 64)}, 0, 0, ${hex('d1', 66)},
       'https://gateway.example/v1/chat/completions', 'maker/model-' || (n % 40), '2026-11-20', n,
       ${hex('7a', 64)}, n, ${hex('b1', 64)}, 1, 1, 400,
       '{"inputTokens":700,"outputTokens":500,"source":"provider"}', 600, 'confirmed', ${hex('4e', 64)},
       ${hex('7b', 64)}, 0, ${at}, ${at} from s`,
    `insert into dispatch (payment_seq, at) select seq, created_at + 3000 from ${filled}`,
    ...entries.map(
      ([debit, credit, amount]) =>
        `insert into entry (payment_seq, debit, credit, amount, at)
         select seq, '${debit}', '${credit}', ${amount}, created_at + 5000 from ${filled}`,
    ),
  ]
}
