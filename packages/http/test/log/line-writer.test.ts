import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

const source = new URL('../../src/log/line-writer.ts', import.meta.url).href
const program = `
  import { createLineWriter } from ${JSON.stringify(source)}
  const { write, flush } = createLineWriter(1)
  process.stdin.once('data', () => {
    for (let n = 0; n < 3000; n += 1) write(n + ' €\\n')
    setImmediate(() => {
      write('last\\n')
      flush()
      process.stderr.write('alive')
      process.exit(0)
    })
  })
`

function startProgram() {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program])
  return { child, end: once(child, 'exit'), errors: text(child.stderr) }
}

test('writes all lines in order, in whole characters', async () => {
  const { child, end } = startProgram()
  const output = text(child.stdout)
  child.stdin.write('go')
  const lines = Array.from({ length: 3000 }, (_, n) => `${n} €\n`)
  expect(await output).toBe(`${lines.join('')}last\n`)
  expect(await end).toEqual([0, null])
})

test('continues without its lines when the reader of standard output is gone', async () => {
  const { child, end, errors } = startProgram()
  child.stdout.destroy()
  child.stdin.write('go')
  try {
    expect(await errors).toBe('alive')
    expect(await end).toEqual([0, null])
  } finally {
    child.kill('SIGKILL')
  }
})

test('continues when the reader of standard output has stopped, and says how many lines it missed', async () => {
  const stalled = `
    import { createLineWriter } from ${JSON.stringify(source)}
    process.stdout.on('error', () => undefined)
    const { write, flush } = createLineWriter(1)
    for (let n = 0; n < 30000; n += 1) write(n + ' €\\n')
    flush()
    process.stderr.write('alive')
    setInterval(() => write('next\\n'), 20)
  `
  const child = spawn(process.execPath, ['--input-type=module', '--eval', stalled])
  try {
    await once(child.stderr, 'data')
    let output = ''
    for await (const bytes of child.stdout) {
      output += String(bytes)
      if (output.includes('next\n')) break
    }
    const lines = output.split('\n')
    const at = lines.findIndex((line) => line.startsWith('{'))
    const [, missed] =
      /^\{"level":40,"event":"log_lines_missed","lines":(\d+)\}$/.exec(lines[at] ?? '') ?? []
    expect(lines[at + 1]).toBe('next')
    const whole = lines.slice(0, at).filter((line, n) => line === `${n} €`).length
    expect(whole).toBeGreaterThan(100)
    expect(whole + Number(missed)).toBeGreaterThanOrEqual(30_000)
  } finally {
    child.kill('SIGKILL')
  }
})
