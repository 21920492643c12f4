import type { Plot } from './report.ts'

const width = 720
const labelWidth = 190
const valueWidth = 90
const barHeight = 22
const rowHeight = 30
const top = 44

/** An SVG of horizontal bars on a logarithmic scale, each with its value. */
export function barPlot({ title, unit, bars }: Plot): string {
  const height = top + bars.length * rowHeight + 12
  const scale = logarithmic(bars.map(({ value }) => value))
  const rows = bars.map(({ label, value }, index) => {
    const y = top + index * rowHeight
    const length = scale(value).toFixed(1)
    const fill = index === 0 ? '#0b7285' : '#adb5bd'
    return [
      `<text x="${labelWidth - 8}" y="${y + 15}" text-anchor="end">${escaped(label)}</text>`,
      `<rect x="${labelWidth}" y="${y}" width="${length}" height="${barHeight}" fill="${fill}"/>`,
      `<text x="${labelWidth + Number(length) + 6}" y="${y + 15}">${shown(value)}</text>`,
    ].join('\n')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="12" y="24" font-size="15" font-weight="bold">${escaped(title)} (${escaped(unit)}, logarithmic)</text>
${rows.join('\n')}
</svg>
`
}

/** The least bar is a tenth of a decade long, so that it can be seen. */
function logarithmic(values: readonly number[]): (value: number) => number {
  const positive = values.filter((value) => value > 0)
  const least = Math.log10(Math.min(...positive)) - 0.1
  const most = Math.log10(Math.max(...positive))
  const space = width - labelWidth - valueWidth
  return (value) => (value > 0 ? ((Math.log10(value) - least) / (most - least)) * space : 0)
}

function shown(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
