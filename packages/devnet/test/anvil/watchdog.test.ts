import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { anvilBinary } from '../../src/anvil/anvil-binary.ts'
import { watchdogCommand } from '../../src/anvil/watchdog.ts'
import { openDevnet, readDevnetFile } from '../../src/index.ts'

let folder: string
const children: ChildProcess[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-devnet-'))
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

/** Opens the folder's devnet in a separate process; returns it and the process id of its anvil. */
async function startParent(): Promise<{ parent: ChildProcess; anvil: number }> {
  const index = JSON.stringify(new URL('../../src/index.ts', import.meta.url).href)
  const program = `
    const { openDevnet } = await import(${index})
    const devnet = await openDevnet(process.argv[1])
    await devnet.mint(devnet.treasury.address, 1n)
    process.stdout.write(String(devnet.pid) + '\\n')
    setInterval(() => undefined, 1000)`
  const args = ['--conditions=farebox-source', '--input-type=module', '-e', program, folder]
  const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(parent)
  const [line] = await once(parent.stdout, 'data')
  return { parent, anvil: Number(String(line)) }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('killing the parent stops anvil, and the chain is kept', async () => {
  const { parent, anvil } = await startParent()
  expect(isRunning(anvil)).toBe(true)
  parent.kill('SIGKILL')
  const devnet = await openDevnet(folder)
  expect(await devnet.usdcBalance(devnet.treasury.address)).toBe(1n)
  await expect.poll(() => isRunning(anvil)).toBe(false)
  await devnet.stop()
})

test('killing one parent after another loses nothing', async () => {
  for (let round = 1; round <= 2; round += 1) {
    const { parent } = await startParent()
    parent.kill('SIGKILL')
  }
  const devnet = await openDevnet(folder)
  expect(await devnet.usdcBalance(devnet.treasury.address)).toBe(2n)
  await devnet.stop()
})

test('killing anvil itself leaves no reader behind', async () => {
  const { parent, anvil } = await startParent()
  const children = async (): Promise<string> => await shellsOf(anvil)
  expect(await children()).not.toBe('')
  process.kill(anvil, 'SIGKILL')
  await expect.poll(children).toBe('')
  expect(parent.exitCode).toBe(null)
})

/** Process ids of shells that belong to the session of `anvil`. */
async function shellsOf(anvil: number): Promise<string> {
  const ps = spawn('ps', ['-o', 'pid=', '-s', String(anvil)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  ps.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
  await once(ps, 'close')
  return output.replaceAll(String(anvil), '').trim()
}

test('the folder keeps its keys, and devnet.json names the running chain', async () => {
  const first = await openDevnet(folder, { payers: 21 })
  await first.stop()
  const second = await openDevnet(folder)
  const file = await readDevnetFile(join(folder, 'devnet.json'))
  expect(file).toEqual({
    rpcUrl: second.rpcUrl,
    chainId: 84532,
    network: 'base-sepolia',
    usdc: second.usdc,
    treasury: first.treasury,
    relayer: first.relayer,
    payers: first.payers,
  })
  await second.stop()
})

test('farebox-devnet runs until it is signaled, and exits 0', async () => {
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
  const args = ['--conditions=farebox-source', main, '--dir', folder, '--port', '0']
  const command = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(command)
  const [line] = await once(command.stdout, 'data')
  expect(String(line)).toContain('Devnet ready at http://127.0.0.1:')
  const { rpcUrl } = await readDevnetFile(join(folder, 'devnet.json'))
  command.kill('SIGTERM')
  expect(await once(command, 'exit')).toEqual([0, null])
  await expect(fetch(rpcUrl)).rejects.toThrow()
})

test('farebox-devnet fails if its chain exits unexpectedly', async () => {
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
  const args = ['--conditions=farebox-source', main, '--dir', folder, '--port', '0']
  const command = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(command)
  await once(command.stdout, 'data')
  const owner = await readFile(join(folder, 'devnet-state.json.pid'), 'utf8')
  process.kill(Number(/"anvil":(\d+)/.exec(owner)?.[1]), 'SIGKILL')
  expect(await once(command, 'exit')).toEqual([1, null])
})

test('on Windows a Node process watches instead of a shell, with the same result', async () => {
  const anvil = { binary: anvilBinary(), args: ['--port', '0'] }
  const { file, args } = watchdogCommand(anvil, 'win32')
  expect(file).toBe(process.execPath)
  const watched = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(watched)
  let output = ''
  watched.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
  await expect.poll(() => output).toMatch(/Listening on (\S+)/)
  watched.stdin.end()
  await once(watched, 'exit')
  const url = `http://${/Listening on (\S+)/.exec(output)?.[1]}`
  await expect(fetch(url)).rejects.toThrow()
})
