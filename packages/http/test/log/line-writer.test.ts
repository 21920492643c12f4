import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createLineWriter } from '../../src/log/line-writer.ts'

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
    // Else a character that two pieces share is lost.
    for await (const piece of child.stdout.setEncoding('utf8')) {
      output += String(piece)
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

/** Up to so many bytes of what a pipe holds now. */
function readUpTo(fd: number, most: number): string {
  const bytes = Buffer.alloc(most)
  let length = 0
  try {
    while (length < most) length += readSync(fd, bytes, length, most - length, null)
  } catch (error) {
    expect(error).toMatchObject({ code: 'EAGAIN' })
  }
  return bytes.toString('utf8', 0, length)
}

test('counts a line that a slow reader missed once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-pipe-'))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
  const { write, flush } = createLineWriter(fd)
  let count = 0
  const writeLines = (lines: number): void => {
    for (const end = count + lines; count < end; count += 1) write(`line ${count}\n`)
    flush()
  }
  writeLines(20_000)
  let output = ''
  // Each time there is room for the notice, and not for all lines after it.
  for (let turn = 0; turn < 3; turn += 1) {
    output += readUpTo(fd, 4_096)
    writeLines(500)
  }
  output += readUpTo(fd, 2 ** 20)
  writeLines(1)
  output += readUpTo(fd, 2 ** 20)
  closeSync(fd)
  await rm(folder, { recursive: true })
  const lines = output.split('\n')
  const notices = lines.filter((line) => line.startsWith('{'))
  expect(notices.length).toBeGreaterThan(2)
  const missed = notices.reduce((sum, line) => sum + (JSON.parse(line).lines as number), 0)
  const whole = new Set(lines.filter((line) => /^line \d+$/.test(line))).size
  // A line that was cut at its end can look whole.
  expect(whole + missed).toBeGreaterThanOrEqual(count)
  expect(whole + missed).toBeLessThanOrEqual(count + notices.length)
})
