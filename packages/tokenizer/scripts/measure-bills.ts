/**
 * How near the counts come to recorded bills: the table of MEASUREMENTS.md, of families with six bills or more.
 *
 * `node --conditions=farebox-source scripts/measure-bills.ts [gemma3.bin]`; with Gemma 3's table file,
 * texts of Gemini are counted exactly.
 */
import { billAccuracies } from '../test/support/bill-accuracy.ts'
import { billsFile, hasBills, hasHiddenState, isDropped, readBills } from '../test/support/bills.ts'

if (!hasBills) {
  process.stderr.write(`${billsFile.pathname} does not exist\n`)
  process.exit(2)
}

const [gemma3] = process.argv.slice(2)
const bills = readBills(gemma3 === undefined ? {} : { gemma3 })
for (const row of billAccuracies(bills)) {
  if (row.bills < 6) continue
  const cells = [
    `\`${row.family}\``,
    row.kind,
    row.bills,
    row.judged,
    percent(row.median),
    percent(row.p95),
    row.boundMedian.toFixed(1),
    row.boundP95.toFixed(1),
    row.judgedBoundMedian.toFixed(2),
    row.judgedBoundP95.toFixed(2),
    row.undercharges,
  ]
  process.stdout.write(`| ${cells.join(' | ')} |\n`)
}
const dropped = bills.filter(isDropped).length
const hidden = bills.filter(hasHiddenState).length
process.stdout.write(`${bills.length} bills; ${dropped} left out, ${hidden} with hidden state\n`)

function percent(share: number): string {
  const rounded = Math.round(share * 100)
  return `${rounded < 0 ? '−' : ''}${Math.abs(rounded)} %`
}
