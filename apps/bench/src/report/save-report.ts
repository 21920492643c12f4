import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { barPlot } from './bar-plot.ts'
import { describeMachine, type Machine } from './machine.ts'
import type { Report } from './report.ts'
import { markdownTable } from './table.ts'

const folder = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'benchmarks')

/** Writes a report to `docs/benchmarks`: a page, its figures as JSON, and its plots as SVG. */
export async function saveReport(report: Report): Promise<void> {
  const machine = describeMachine()
  await mkdir(folder, { recursive: true })
  const { name, versions, figures } = report
  const json = JSON.stringify({ machine, versions, figures }, undefined, 2)
  await writeFile(join(folder, `${name}.json`), `${json}\n`)
  for (const plot of report.plots) {
    await writeFile(join(folder, `${name}-${plot.name}.svg`), barPlot(plot))
  }
  await writeFile(join(folder, `${name}.md`), page(report, machine))
  console.log(`\nSaved to ${folder}`)
}

function page(report: Report, machine: Machine): string {
  const { name, title, conditions, header, rows, plots, versions } = report
  const installed = Object.entries(versions).map(([peer, version]) => `${peer} ${version}`)
  return `# ${title}

Written by \`npm run bench -- ${name} --save\` on ${machine.date}, at commit ${machine.commit}.

- ${machine.cores} cores of ${machine.processor}, ${machine.memoryGigabytes} GB, ${machine.system}; load ${machine.load} at the end
- ${[`Node ${machine.node}`, ...installed].join(', ')}
${conditions.map((condition) => `- ${condition}`).join('\n')}

${plots.map((plot) => `![${plot.title}](${name}-${plot.name}.svg)\n\n`).join('')}${markdownTable(header, rows)}

The same figures as JSON: [${name}.json](${name}.json).
`
}
