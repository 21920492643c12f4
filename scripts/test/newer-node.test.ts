import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../packages/workspace.ts'
import { pretendOlderNode } from './pretend-older-node.ts'

const launcher = pathToFileURL(join(root, 'scripts/boot/newer-node.mjs')).href

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-node-'))
  await symlink(process.execPath, join(folder, 'node'))
  await writeFile(join(folder, 'tools.json'), JSON.stringify({ bin: folder }))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

async function runOn(flags: readonly string[], tools: string) {
  const program = join(folder, 'program.mjs')
  await writeFile(
    program,
    `import { runOnNewerNode } from ${JSON.stringify(launcher)}
     process.exitCode = await runOnNewerNode(new URL(process.argv[2]), async () => {
       console.log(process.versions.node, process.argv[3])
       return 7
     })`,
  )
  const url = pathToFileURL(join(folder, tools)).href
  return await new Promise((resolve) => {
    execFile(process.execPath, [...flags, program, url, 'argument'], (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stdout, stderr })
    })
  })
}

const ran = { code: 7, stdout: `${process.versions.node} argument\n`, stderr: '' }

test('a program runs on this Node', async () => {
  expect(await runOn([], 'tools.json')).toEqual(ran)
})

test('on an older Node it runs on the one that the build downloaded', async () => {
  expect(await runOn(['--import', pretendOlderNode], 'tools.json')).toEqual(ran)
})

test('on an older Node without a downloaded one, it prints how to get one', async () => {
  expect(await runOn(['--import', pretendOlderNode], 'none.json')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'Farebox needs Node.js 22.19 or later; this is 18.20.8. npm run build downloads one.\n',
  })
})

test('on an older Node, a Ctrl-C that reaches the whole process group is one Ctrl-C', async () => {
  const program = join(folder, 'count.mjs')
  await writeFile(
    program,
    `import { runOnNewerNode } from ${JSON.stringify(launcher)}
     process.exitCode = await runOnNewerNode(new URL(process.argv[2]), () => new Promise((resolve) => {
       let interrupts = 0
       process.on('SIGINT', () => console.log('interrupt', ++interrupts))
       const last = setTimeout(resolve, 8_000, 9)
       process.on('SIGTERM', () => resolve(clearTimeout(last)))
       console.log('started')
     }))`,
  )
  const tools = pathToFileURL(join(folder, 'tools.json')).href
  const child = spawn(process.execPath, ['--import', pretendOlderNode, program, tools], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { pid = 0 } = child
  child.stdout.once('data', () => {
    // Pending signals of a kind are one: the launcher gets its own later than the program.
    child.kill('SIGSTOP')
    process.kill(-pid, 'SIGINT')
    setTimeout(() => child.kill('SIGCONT'), 200)
    setTimeout(() => child.kill('SIGTERM'), 400)
  })
  expect(await text(child.stdout)).toBe('started\ninterrupt 1\n')
})
