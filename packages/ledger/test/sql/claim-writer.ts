// Claims payments and prints each id once its claim is durable. Arguments: the ledger's URL, the
// number of the first payment, the concurrency, and the number of claims.
import { writeSync } from 'node:fs'
import { newPayment } from '../../src/conformance/fixtures.ts'
import { openLedger } from '../../src/sql.ts'

const [url = '', first = '0', width = '8', limit = 'Infinity'] = process.argv.slice(2)
const store = await openLedger({ url, connections: 4 })
let number = Number(first)

async function claimOn(): Promise<void> {
  while (number < Number(first) + Number(limit)) {
    number += 1
    const outcome = await store.claim(newPayment(number))
    writeSync(1, `${outcome.status} ${outcome.payment.id}\n`)
  }
}

writeSync(1, 'ready\n')
await Promise.all(Array.from({ length: Number(width) }, claimOn))
await store.close()
