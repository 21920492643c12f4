import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../packages/workspace.ts'

const launcher = pathToFileURL(join(root, 'scripts/boot/newer-node.mjs')).href
/** Makes a process look like Node 18 to its program, and to no process that it starts. */
const pretend = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'18.20.8'})`

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
  expect(await runOn(['--import', pretend], 'tools.json')).toEqual(ran)
})

test('without one it says how to get one', async () => {
  expect(await runOn(['--import', pretend], 'none.json')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'Farebox needs Node.js 22.19 or later; this is 18.20.8. npm run build downloads one.\n',
  })
})
