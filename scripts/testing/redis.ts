import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { announceSkip } from './announce-skip.ts'
import { findOnPath } from './find-binary.ts'
import { freePort } from './free-port.ts'

/** A Redis server for tests, without persistence. */
export type TestRedis = {
  /** `redis://…` */
  readonly url: string
  /** Stops the server; does nothing with an external server. */
  readonly stop: () => Promise<void>
}

/** Whether `startRedis` works; if not, a line on standard error says what is missing. */
export function hasRedis(): boolean {
  if (process.env['TEST_REDIS_URL'] !== undefined || findRedis() !== undefined) return true
  announceSkip('Redis', 'set TEST_REDIS_URL or install redis-server 7 or valkey-server')
  return false
}

/**
 * The server of `TEST_REDIS_URL`, or a private one on a free port.
 * @throws if `hasRedis()` is false or the server does not start.
 */
export async function startRedis(): Promise<TestRedis> {
  const given = process.env['TEST_REDIS_URL']
  if (given !== undefined) return { url: given, stop: () => Promise.resolve() }
  const program = findRedis()
  if (program === undefined) throw new Error('redis-server was not found')

  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const child = spawn(program, [...args, '--dir', tmpdir()], { stdio: 'ignore' })
  const endWithUs = (): void => {
    child.kill('SIGKILL')
  }
  process.once('exit', endWithUs)
  await untilListening(port, child)
  return {
    url: `redis://127.0.0.1:${String(port)}`,
    stop: async () => {
      process.off('exit', endWithUs)
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

function findRedis(): string | undefined {
  return findOnPath('redis-server', 'valkey-server')
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 1_500; attempt += 1) {
    if (child.exitCode !== null) break
    if (await accepts(port)) return
    await sleep(20)
  }
  child.kill('SIGKILL')
  throw new Error(`redis-server did not listen on port ${String(port)}`)
}

async function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => {
      resolve(false)
    })
  })
}
