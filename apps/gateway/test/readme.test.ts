import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { snippetTexts } from '@farebox/web'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { proofSize } from '../../../scripts/testing/proof-size.ts'
import { openGateway, type TestGateway } from './support/open-gateway.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))

let gateway: TestGateway
let folder: string
beforeAll(async () => {
  gateway = await openGateway()
  folder = await mkdtemp(join(tmpdir(), 'farebox-readme-'))
  await installForSnippets()
})
afterAll(async () => {
  await gateway.stop()
  await rm(folder, { recursive: true, force: true })
})

async function sectionOf(title: string): Promise<string> {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  return readme.split(title)[1]?.split('\n## ')[0] ?? ''
}

/** The commands of a section, for the gateway of this test and outside of the repository. */
async function transcript(title: string): Promise<string[]> {
  const section = await sectionOf(title)
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, commands = '']) =>
    commands
      .replaceAll('http://127.0.0.1:4020', gateway.url)
      .replaceAll('npm run farebox -s --', `node "${join(root, 'packages/command/dist/main.js')}"`),
  )
}

async function runCommands(
  commands: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<{ stdout: string; stderr: string }> {
  const env = {
    ...process.env,
    ...environment,
    DATA_DIR: gateway.folder,
    FAREBOX_URL: gateway.url,
    XDG_STATE_HOME: folder,
  }
  return await run('bash', ['-euc', commands], { cwd: folder, env })
}

test('the first command of the README pays, prints the answer and its cost', async () => {
  const [first = ''] = await transcript('# Farebox\n')
  const { stdout, stderr } = await runCommands(first.replace(/^npm start.*$/m, ''))
  expect(stdout).toMatch(/sandbox/i)
  expect(stderr).toMatch(/at most 0\.\d+ USDC\ncost 0\.\d+ USDC, paid 0\.\d+, refund/)
})

test('the curl commands of the README pay, and print what it shows', async () => {
  const outputs: string[] = []
  for (const commands of await transcript('## A paid call with curl')) {
    outputs.push((await runCommands(commands)).stdout)
  }
  const [asked, signed, answered, looked] = outputs
  expect(JSON.parse(asked ?? '')).toMatchObject({ statusCode: 402, quote: { outputTokens: 2000 } })
  expect(signed).toBe('')
  expect(answered).toMatch(/: receipt \{"id":"pay_.*\n\ndata: \[DONE\]/)
  expect(JSON.parse(looked ?? '')).toMatchObject({ status: 'completed' })
  const output = withoutSpace(outputs.join(''))
  const shown = await shownOutput('## A paid call with curl')
  expect(shown.filter((piece) => !output.includes(piece))).toEqual([])
  expect(shown.join()).toContain('"total_tokens":')
})

test('the lines of `openai` in the README pay and print the answer', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const [, lines = ''] = /```ts\n(.*?)```/s.exec(readme) ?? []
  expect(lines).toContain("from 'openai'")
  await writeFile(join(folder, 'lines.mts'), lines.replaceAll('http://127.0.0.1:4020', gateway.url))
  const { stdout } = await runCommands('node --conditions=farebox-source lines.mts', {
    FAREBOX_PRIVATE_KEY: gateway.payer(1).privateKey,
  })
  expect(stdout).toMatch(/This is the Farebox sandbox/)
})

// The quick run has the same lines in the README.
const snippets = ['openai', 'ai', 'curl'].slice(0, proofSize({ quick: 0, all: 3 }))

test.each(snippets)('the %s snippet of the site pays and prints', async (name) => {
  const options = { url: gateway.url, model: 'openai/gpt-4.1-mini' }
  const text = snippetTexts(options).find((snippet) => snippet.name === name)?.text ?? ''
  await writeFile(join(folder, 'snippet.mjs'), text)
  const commands = name === 'curl' ? text : 'node --conditions=farebox-source snippet.mjs'
  const { stdout } = await runCommands(commands, {
    PATH: `${folder}:${process.env['PATH']}`,
    FAREBOX_PRIVATE_KEY: gateway.payer(0).privateKey,
  })
  expect(stdout).toMatch(/This is the Farebox sandbox/)
})

/** What a section shows as output, in pieces between its ellipses, without white space. */
async function shownOutput(title: string): Promise<string[]> {
  const blocks = (await sectionOf(title)).matchAll(/```(?:json)?\n(?=[{:d])(.*?)```/gs)
  return [...blocks].flatMap(([, shown = '']) => withoutSpace(shown).split('…'))
}

const withoutSpace = (text: string): string => text.replaceAll(/\s+/g, '')

/** The folder gets the packages that snippets import, and an `npx` that runs this `farebox`. */
async function installForSnippets(): Promise<void> {
  await symlink(join(root, 'apps/gateway/node_modules'), join(folder, 'node_modules'))
  const main = join(root, 'packages/command/src/main.ts')
  const npx = `#!/bin/sh\nshift\nexec node --conditions=farebox-source "${main}" "$@"\n`
  await writeFile(join(folder, 'npx'), npx, { mode: 0o755 })
}
